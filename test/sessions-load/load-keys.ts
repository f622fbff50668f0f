/** The key of a conversation: direct chats and rooms of four agents, on two channels. */
export function keyOf(number: number): string {
  const agent = ['main', 'work', 'home', '研究'][number % 4];
  const channel = number % 3 === 0 ? 'telegram' : 'discord';
  const kind = number % 5 === 0 ? 'group' : 'direct';
  return `agent:${agent}:${channel}:${kind}:peer-${number}`;
}

/** The mark of a message: no other has it, and it says which conversation it belongs to. */
export function markOf(number: number, of: { readonly worker: number; readonly count: number }): string {
  return `[mark ${number}/${of.worker}/${of.count}]`;
}

/** What a model says to a message. */
export function answerTo(mark: string): string {
  return `The answer to ${mark}.`;
}
