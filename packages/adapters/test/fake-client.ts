/** What a fake client was asked. */
export interface Asked {
  readonly body: { readonly [field: string]: unknown };
  readonly signal: AbortSignal | undefined;
}

/** A method `create` that notes what it is asked, and answers with what it is given. */
export function fakeCreate(answer: () => unknown): {
  readonly create: (body: unknown, options?: { readonly signal?: AbortSignal }) => Promise<never>;
  readonly asked: Asked[];
} {
  const asked: Asked[] = [];
  return {
    asked,
    async create(body, options) {
      asked.push({ body: body as Asked['body'], signal: options?.signal });
      return (await answer()) as never;
    },
  };
}

/** The events one by one; then the error, when there is one. */
export async function* streamOf<Event>(events: readonly Event[], error?: unknown): AsyncGenerator<Event> {
  for (const event of events) yield event;
  if (error !== undefined) throw error;
}

/** The prompt of somebody who says hello. */
export const helloPrompt = {
  system: [{ layer: 'system', text: 'Be brief.' }],
  messages: [{ role: 'user', content: 'hello' }],
  marks: { afterSystem: 1, afterStable: 1 },
} as const;

/** A tool whose name no provider accepts. */
export const readTool = {
  name: 'fs.read',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
} as const;
