import {
  answer,
  failure,
  type Gate,
  gate,
  type ModelOutcome,
  type ModelServer,
  type ServedRequest,
  startModelServer,
} from '@varve/testkit/model-server';

/** A model on this machine that hosts are tried with. */
export interface HostModel extends AsyncDisposable {
  readonly server: ModelServer;
  /** Refuses the next request as too long. */
  overflowNext(): void;
  /** Holds the next answer back in its middle until the gate is opened. */
  holdNext(): Gate;
}

/** The word by which hosts are followed: `nonce-` and letters. */
const noncePattern = /nonce-[0-9a-f-]{8,}/;

/**
 * Starts the model. It reads a file when it is asked to look into one, and answers with the newest nonce that it can see
 * anywhere in what it is sent; so an answer shows whether the host still sent it.
 */
export async function startHostModel(): Promise<HostModel> {
  let [overflows, held] = [false, null as Gate | null];
  const script = (request: ServedRequest): string | ModelOutcome => {
    if (overflows) {
      overflows = false;
      return failure('overflow');
    }
    const said = answerTo(request);
    const holding = held;
    held = null;
    if (holding === null || typeof said !== 'string') return said;
    return answer(said, { hold: { before: 3, until: holding.opened } });
  };
  const server = await startModelServer({ provider: 'openai', contextTokens: 1_000_000, script });
  return {
    server,
    overflowNext: () => {
      overflows = true;
    },
    holdNext: () => {
      held = gate();
      return held;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

function answerTo({ number, conversation: { system, messages, tools } }: ServedRequest): string | ModelOutcome {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const asked = /look into (\S+)/.exec(since.map(({ text }) => text).join(' '))?.[1];
  const isAnswered = since.some(({ results }) => results.length > 0);
  const canRead = tools.some(({ name }) => name === 'read');
  if (asked !== undefined && canRead && !isAnswered) {
    return answer([{ type: 'tool-call', name: 'read', input: { path: asked } }]);
  }
  const sought = /search for (\S+)/.exec(since.map(({ text }) => text).join(' '))?.[1];
  if (sought !== undefined && tools.some(({ name }) => name === 'recall_grep') && !isAnswered) {
    return answer([{ type: 'tool-call', name: 'recall_grep', input: { pattern: sought } }]);
  }
  const results = since.flatMap((one) => one.results.map(({ text }) => text)).join(' ');
  const seen = [...messages.map(({ text }) => text).toReversed(), system].map((text) => noncePattern.exec(text)?.[0]);
  const known = seen.find((one) => one !== undefined) ?? 'nothing';
  return `Reply ${number}: I see ${known}.${results === '' ? '' : ` The tool says: ${results.slice(0, 400)}`}`;
}
