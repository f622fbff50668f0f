import { type ModelDelta, type ModelReply, type ModelRequest, VarveError } from '@varve/core';
import type { ModelPortSubject } from '@varve/testkit';
import { carefulHabits, type PortChanges, portFailure, portSubject } from './careful-port.ts';
import type { Mutant } from './mutant.ts';

type Fails = string | readonly [string, ...string[]];
type Stop = ModelReply['message']['stop'];

function mutant(name: string, fails: Fails, changes: PortChanges): Mutant<ModelPortSubject> {
  const [first = '', ...also] = typeof fails === 'string' ? [fails] : fails;
  return { name, fails: first, also, open: () => portSubject(changes) };
}

function inReply(name: string, fails: Fails, change: (reply: ModelReply) => ModelReply): Mutant<ModelPortSubject> {
  return mutant(name, fails, { reply: (answer, request) => change(carefulHabits.reply(answer, request)) });
}

function stopsOtherwise(name: string, fails: Fails, stops: { readonly [stop: string]: Stop }) {
  return inReply(name, fails, ({ message, usage }) => ({
    message: { ...message, stop: stops[message.stop ?? ''] ?? message.stop },
    usage,
  }));
}

function failsOtherwise(name: string, fails: Fails, { told, change }: { told: string; change: () => Error }) {
  return mutant(name, fails, {
    failure: (outcome) => {
      const kind = outcome.kind === 'refuses' ? outcome.with : outcome.kind;
      return kind === told ? change() : carefulHabits.failure(outcome);
    },
  });
}

const failed = (details: object): Error => portFailure('VARVE_MODEL_FAILED', details);

const answering: readonly Mutant<ModelPortSubject>[] = [
  mutant('has no name for its model', 'says which model it is', { ref: { provider: 'test', model: '' } }),
  mutant(
    'answers with half a message to nobody',
    [
      'answers with what the model said, whether somebody listens or not',
      'takes a reason that nobody knows for no end',
      'waits for a model that is slow',
    ],
    {
      generate: async (ask, request, options) => {
        const reply = await ask(request, options);
        const { content } = reply.message;
        if (options.onDelta !== undefined || typeof content === 'string') return reply;
        const cut = content.map((part) => (part.type === 'text' ? { ...part, text: part.text.slice(0, 36) } : part));
        return { ...reply, message: { ...reply.message, content: cut } };
      },
    },
  ),
  mutant('tells the last piece twice', 'tells the answer piece by piece to who listens', {
    generate: async (ask, request, options) => {
      let last: ModelDelta | null = null;
      const reply = await ask(request, {
        ...options,
        onDelta: (delta) => {
          last = delta.type === 'text' ? delta : last;
          options.onDelta?.(delta);
        },
      });
      if (last !== null) await (async () => options.onDelta?.(last as ModelDelta))().catch(() => undefined);
      return reply;
    },
  }),
  mutant('fails with who listens', 'goes on when who listens throws', {
    generate: async (ask, request, options) => {
      const thrown: unknown[] = [];
      const onDelta = (delta: ModelDelta): void => {
        try {
          options.onDelta?.(delta);
        } catch (error) {
          thrown.push(error);
        }
      };
      const reply = await ask(request, options.onDelta === undefined ? options : { ...options, onDelta });
      if (thrown.length > 0) throw thrown[0];
      return reply;
    },
  }),
  mutant('leaves instructions out', 'sends the prompt', {
    body: (request) => carefulHabits.body({ ...request, prompt: { ...request.prompt, system: [] } }),
  }),
  mutant('notes in the request that it was sent', 'leaves the request as it is', {
    generate: async (ask, request, options) => {
      (request as { sent?: boolean }).sent = true;
      return ask(request, options);
    },
  }),
  mutant('leaves descriptions of tools out', 'offers the tools, and reads calls of them', {
    body: ({ tools = [], ...request }) =>
      carefulHabits.body({ ...request, tools: tools.map((tool) => ({ ...tool, description: '' })) }),
  }),
  inReply('reads the first word of inputs', 'offers the tools, and reads calls of them', ({ message, usage }) => {
    const content = typeof message.content === 'string' ? [] : message.content;
    const read = content.map((part) => (part.type === 'tool-call' ? { ...part, input: {} } : part));
    return { message: { ...message, content: read }, usage };
  }),
  mutant('leaves calls the names that the provider knows', 'gives calls the names that their tools have here', {
    reply: (answer, request) => carefulHabits.reply(answer, { ...request, tools: [] }),
  }),
  mutant('tells nobody of calls', 'announces calls while it streams', {
    generate: async (ask, request, { onDelta, ...options }) =>
      ask(request, {
        ...options,
        ...(onDelta && { onDelta: (delta: ModelDelta) => (delta.type === 'tool-call' ? undefined : onDelta(delta)) }),
      }),
  }),
  mutant('bounds answers by its own', 'bounds the answer where it is asked to', {
    body: (request) => carefulHabits.body({ ...request, maxOutputTokens: 4_096 }),
  }),
  inReply('counts output as input', 'reports what the provider counted', ({ message, usage }) => ({
    message,
    usage: usage && { inputTokens: usage.inputTokens + usage.outputTokens, outputTokens: usage.outputTokens },
  })),
  inReply('reports zeros', 'reports nothing where the provider reports nothing', ({ message, usage }) => ({
    message,
    usage: usage ?? { inputTokens: 0, outputTokens: 0 },
  })),
  mutant('takes silence for a failure', 'answers with nothing when the model says nothing', {
    reply: (answer, request) => {
      if (answer.text === '' && answer.calls === undefined) throw failed({ kind: 'other', retryable: false });
      return carefulHabits.reply(answer, request);
    },
  }),
  stopsOtherwise('takes a cut answer for a whole one', 'says that an answer was cut by its length', { length: 'stop' }),
  stopsOtherwise('takes a refusal for an answer', 'says that the model would not answer', { 'content-filter': 'stop' }),
  stopsOtherwise('takes any other reason for the end', 'takes a reason that nobody knows for no end', {
    other: 'stop',
  }),
  mutant('keeps the last request of the port', 'keeps calls that are made at once apart', {
    generate: (() => {
      let latest: ModelRequest | null = null;
      return async (ask, request, options) => {
        latest = request;
        if (options.onDelta !== undefined) await Promise.resolve();
        return ask(latest, options);
      };
    })(),
  }),
  mutant('answers for a model that is slow', 'waits for a model that is slow', {
    generate: async (ask, request, options) => {
      const late = (async (): Promise<ModelReply> => {
        for (let tick = 0; tick < 2; tick += 1) await new Promise((resolve) => setTimeout(resolve, 0));
        if (options.signal !== undefined) return new Promise(() => undefined);
        return { message: { role: 'assistant', content: '', stop: 'length' }, usage: null };
      })();
      return Promise.race([ask(request, options), late]);
    },
  }),
];

const again = { kind: 'other', retryable: true } as const;

const failing: readonly Mutant<ModelPortSubject>[] = [
  failsOtherwise('knows no overflow', 'tells an input that is too long from other failures', {
    told: 'overflow',
    change: () => failed({ kind: 'other', retryable: false }),
  }),
  failsOtherwise(
    'takes every bad request for an overflow',
    'takes a body that the provider does not understand for no overflow',
    { told: 'bad-request', change: () => portFailure('VARVE_MODEL_OVERFLOW') },
  ),
  failsOtherwise('gives up where it is asked to wait', 'says of a busy provider that it may be asked again', {
    told: 'rate',
    change: () => failed({ kind: 'rate', retryable: false }),
  }),
  failsOtherwise('gives up with the provider', 'says of a provider in trouble that it may be asked again', {
    told: 'server',
    change: () => failed({ kind: 'server', retryable: false }),
  }),
  failsOtherwise('tries a wrong key again', 'says of a wrong key that asking again is of no use', {
    told: 'unauthorized',
    change: () => failed({ ...again, kind: 'auth' }),
  }),
  failsOtherwise(
    'throws what its client throws',
    'fails when the connection breaks, and says that it may be asked again',
    { told: 'hangs-up', change: () => new TypeError('fetch failed') },
  ),
  mutant(
    'answers with half a stream',
    ['takes half a stream for no answer', 'fails when the connection breaks, and says that it may be asked again'],
    {
      generate: async (ask, request, options) =>
        ask(request, options).catch((error: unknown) => {
          const { kind } = (VarveError.is(error) ? (error.details ?? {}) : {}) as { kind?: unknown };
          if (kind !== 'network' || options.onDelta === undefined) throw error;
          return { message: { role: 'assistant', content: 'Clay', stop: 'stop' }, usage: null };
        }),
    },
  ),
  mutant('asks first and looks later', 'asks nobody when its caller has gone before', {
    generate: async (ask, request, { signal, ...options }) => {
      if (signal?.aborted === true) {
        await ask(request, options);
        throw portFailure('VARVE_ABORTED');
      }
      return ask(request, { ...options, ...(signal && { signal }) });
    },
  }),
  mutant('throws the reason of its caller', ['gives up when its caller goes, before a word came'], {
    generate: async (ask, request, options) => {
      const wasThere = options.signal?.aborted === false;
      return ask(request, options).catch((error: unknown) => {
        const { signal, onDelta } = options;
        throw wasThere && signal?.aborted === true && onDelta === undefined ? signal.reason : error;
      });
    },
  }),
  mutant('answers with what came when its caller goes', 'gives up when its caller goes, in the middle of an answer', {
    generate: async (ask, request, options) => {
      let said = '';
      const onDelta = (delta: ModelDelta): void => {
        if (delta.type === 'text') said += delta.text;
        options.onDelta?.(delta);
      };
      try {
        return await ask(request, options.onDelta === undefined ? options : { ...options, onDelta });
      } catch (error) {
        if (said === '') throw error;
        return { message: { role: 'assistant', content: said, stop: 'aborted' }, usage: null };
      }
    },
  }),
  mutant('remembers its failures', 'can be called again after a failure', {
    generate: (() => {
      let error: unknown = null;
      return async (ask, request, options) => {
        const waits = options.onDelta === undefined && error !== null && JSON.stringify(request).includes('again');
        if (waits) throw error;
        return ask(request, options).catch((thrown: unknown) => {
          error = thrown;
          throw thrown;
        });
      };
    })(),
  }),
];

/** Ports that break their contract, each in one way. */
export const modelPortMutants: readonly Mutant<ModelPortSubject>[] = [...answering, ...failing];
