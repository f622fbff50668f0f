/** One event of a stream. */
export interface StreamedEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

/** Reads server-sent events until the stream ends. */
export async function* readStream({ body }: Pick<Response, 'body'>): AsyncGenerator<StreamedEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event === undefined || data === undefined) continue;
      yield { event, id: /^id: (.*)$/m.exec(block)?.[1] ?? null, data: JSON.parse(data) };
    }
  }
}
