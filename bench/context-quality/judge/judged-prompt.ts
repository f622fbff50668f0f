/** A call of a tool as it stands in a message. */
export interface JudgedCall {
  readonly id: string;
  readonly name: string;
  /** Arguments as lines `key: value`. */
  readonly text: string;
}

/** One message of a prompt, as the judge sees it: what a model could read, and how it is tied to others. */
export interface JudgedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Everything that is visible: text, then one line `[call name] arguments` a call. */
  readonly body: string;
  readonly calls: readonly { readonly id: string }[];
  /** Of a tool's result: the call that it answers. */
  readonly callId?: string | undefined;
  /** Tokens of the body by o200k, and 4 for the message. */
  readonly tokens: number;
}

/** A prompt as the judge sees it. */
export interface JudgedPrompt {
  readonly messages: readonly JudgedMessage[];
  /** Number of messages up to the last place where a cache mark may stand: what follows changes with every request. */
  readonly stable: number;
}

/** Tokens of all messages. */
export function tokensOfPrompt({ messages }: JudgedPrompt): number {
  return messages.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Everything that a model could read. */
export function textOfPrompt({ messages }: JudgedPrompt): string {
  return messages.map(({ body }) => body).join('\n');
}

/** The arguments of a call as lines `key: value`: the same for every strategy, however it writes JSON. */
export function argumentText(given: unknown): string {
  if (given === null || given === undefined) return '';
  if (typeof given !== 'object') return String(given);
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.entries(given)
    .map(([key, value]) => `${key}: ${textOf(value)}`)
    .join('\n');
}

/** Text and calls of one message, as one text. */
export function bodyOf(text: string, calls: readonly JudgedCall[]): string {
  return [text, ...calls.map((call) => `[call ${call.name}] ${call.text}`)].filter((part) => part !== '').join('\n');
}
