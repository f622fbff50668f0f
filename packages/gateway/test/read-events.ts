/** One event of a stream, as it came over the wire. */
export interface ReadEvent {
  readonly event: string;
  readonly id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: what is read of an event is what the test is about.
  readonly data: any;
}

/** A stream of events that is read. */
export interface EventReader extends AsyncDisposable {
  /** The next event of that name, or of any. Comments and other events are passed over. */
  next(name?: string): Promise<ReadEvent>;
  /** All that come until the stream ends. */
  rest(): Promise<readonly ReadEvent[]>;
  readonly response: Response;
}

/** Calls a route that streams, and reads what comes. */
export async function readEvents(
  url: string,
  { token, ...init }: RequestInit & { readonly token: string },
): Promise<EventReader> {
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) };
  const response = await fetch(url, { ...init, headers, signal: controller.signal });
  if (response.status !== 200 || response.body === null) {
    throw new Error(`${response.status}: ${await response.text()}`);
  }
  const events = eventsOf(response.body);
  const next = async (name?: string): Promise<ReadEvent> => {
    for (;;) {
      const { value, done } = await events.next();
      if (done === true) throw new Error(`The stream ended before an event ${name ?? ''} came.`);
      if (name === undefined || value.event === name) return value;
    }
  };
  return {
    response,
    next,
    rest: async () => {
      const all: ReadEvent[] = [];
      for await (const event of events) all.push(event);
      return all;
    },
    [Symbol.asyncDispose]: async () => controller.abort(),
  };
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ReadEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => fieldOf(line)));
      const data = fields.get('data');
      if (data !== undefined) {
        yield { event: fields.get('event') ?? 'message', id: fields.get('id') ?? null, data: JSON.parse(data) };
      }
    }
  }
}

function fieldOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(': ');
  return colon <= 0 ? ['', line] : [line.slice(0, colon), line.slice(colon + 2)];
}
