/** A gateway, asked with one token. */
export interface GatewayClient {
  /** @throws GatewayProblem  when it says no; TypeError when it cannot be reached. */
  get<Answer>(path: string, query?: Readonly<Record<string, string | number | undefined>>): Promise<Answer>;
  /** @throws the same */
  post<Answer>(path: string, body: object): Promise<Answer>;
  /** @throws the same */
  put<Answer>(path: string, body: object): Promise<Answer>;
  /** Listens until the signal is aborted, and again whenever the stream ends. */
  listen(path: string, options: ListenOptions): Promise<void>;
}

/** What listens to a stream of events. */
interface ListenOptions {
  readonly signal: AbortSignal;
  onEvent(event: { readonly name: string; readonly data: unknown }): void;
  /** Told whether there is a stream right now. */
  onState(isOpen: boolean): void;
}

/** A gateway that said no, and why. */
class GatewayProblem extends Error {
  override readonly name = 'GatewayProblem';
  /** Of the answer. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const waitMs = 2_000;

/** Asks the gateway that the page came from. The token goes into a header, never into an address. */
export function createGatewayClient(token: string): GatewayClient {
  const authorization = `Bearer ${token}`;
  const send = async (path: string, options: RequestInit): Promise<Response> => {
    const answer = await fetch(path, { ...options, cache: 'no-store', credentials: 'omit' });
    if (!answer.ok) throw await problemOf(answer);
    return answer;
  };
  const withBody = async <Answer>(method: string, path: string, body: object): Promise<Answer> => {
    const headers = { authorization, 'content-type': 'application/json' };
    return (await send(path, { method, headers, body: JSON.stringify(body) })).json() as Promise<Answer>;
  };
  return {
    get: async <Answer>(path: string, query: Readonly<Record<string, string | number | undefined>> = {}) => {
      const given = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      );
      const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
      return (await send(path + search, { headers: { authorization } })).json() as Promise<Answer>;
    },
    post: (path, body) => withBody('POST', path, body),
    put: (path, body) => withBody('PUT', path, body),
    listen: async (path, { signal, onEvent, onState }) => {
      let lastId = '';
      while (!signal.aborted) {
        try {
          const headers = { authorization, ...(lastId === '' ? {} : { 'last-event-id': lastId }) };
          const { body } = await send(path, { headers, signal });
          onState(true);
          for await (const event of eventsIn(body)) {
            if (event.id !== '') lastId = event.id;
            onEvent({ name: event.name, data: JSON.parse(event.data) as unknown });
          }
        } catch (error) {
          if (error instanceof GatewayProblem && error.status < 500 && error.status !== 429) return onState(false);
        }
        onState(false);
        if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    },
  };
}

async function problemOf(answer: Response): Promise<GatewayProblem> {
  const said = (await answer.json().catch(() => null)) as { readonly detail?: string; readonly title?: string } | null;
  return new GatewayProblem(
    said?.detail ?? said?.title ?? `The gateway answered with ${answer.status}.`,
    answer.status,
  );
}

interface StreamEvent {
  readonly id: string;
  readonly name: string;
  readonly data: string;
}

/** Server-sent events of an answer. */
async function* eventsIn(body: ReadableStream<Uint8Array> | null): AsyncGenerator<StreamEvent, void> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event.data !== '') yield event;
    }
  }
}

function eventOf(block: string): StreamEvent {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    const before = name === 'data' ? fields.get('data') : undefined;
    if (name !== '') fields.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  return { id: fields.get('id') ?? '', name: fields.get('event') ?? 'message', data: fields.get('data') ?? '' };
}
