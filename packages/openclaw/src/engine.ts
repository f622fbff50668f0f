import { throwIfAborted, VarveError } from '@varve/core';
import { assemblePrompt, followAll, modelFor } from './assemble-prompt.ts';
import { commitTurn, ingestMessages } from './commit-turn.ts';
import { compactForOpenClaw, windowForCompaction } from './compact-for-openclaw.ts';
import { type Conversation, conversationsOf } from './conversations.ts';
import { delegateCompaction } from './delegate-compaction.ts';
import { engineId, engineVersion } from './engine-name.ts';
import type {
  AssembleCall,
  AssembleResult,
  EngineCall,
  MessagesCall,
  OpenClawEngine,
  OpenClawLogger,
} from './openclaw-api.ts';
import type { PluginConfig } from './plugin-config.ts';
import { requireCall, requireMessages, unknownContract, warnOfSettings } from './read-call.ts';

/** What an engine is made with. */
export interface EngineOptions {
  readonly config: PluginConfig;
  readonly logger?: OpenClawLogger | undefined;
}

const info = {
  id: engineId,
  name: 'Varve',
  version: engineVersion,
  acceptedHostParams: ['sessionKey', 'prompt', 'runtimeSettings', 'sessionTarget', 'runtimeContext', 'abortSignal'],
  transcriptSemantics: {
    currentTurnFence: 'before-current-turn-entry-v1',
    turnAdvancementIdempotency: 'atomic-idempotent-v1',
  },
} as const;

const unchanged = { changed: false, bytesFreed: 0, rewrittenEntries: 0 } as const;

/**
 * Makes an engine. OpenClaw makes one for each operation: what is to be kept is kept by the conversations, which all
 * engines of a process share, and which are open as long as an engine has used them and was not disposed of.
 */
export function createEngine({ config, logger }: EngineOptions): OpenClawEngine {
  const calls = holdingCalls({ config, logger });
  const isOurs = config.compaction !== 'delegate';
  const follow = async (name: string, call: MessagesCall): Promise<void> => {
    requireMessages(name, call?.messages);
    await calls.run(name, call, (conversation) => followAll(conversation, call, { isOurs }));
  };
  return {
    info: { ...info, ownsCompaction: isOurs },
    bootstrap: (call) =>
      calls.run('bootstrap', call, async () => ({
        bootstrapped: true,
        reason: 'What the transcript has besides is taken over with the first prompt.',
      })),
    maintain: async (call) => {
      requireCall('maintain', call);
      return { ...unchanged, reason: 'The journal needs no maintenance.' };
    },
    ingest: async (call) => {
      requireMessages('ingest', [call?.message]);
      const batch = { messages: [call.message], isHeartbeat: call.isHeartbeat, name: 'ingest' };
      const added = await calls.run('ingest', call, ({ session }) => ingestMessages(session, batch));
      return { ingested: added > 0 };
    },
    ingestBatch: async (call) => {
      requireMessages('ingestBatch', call?.messages);
      const batch = { messages: call.messages, isHeartbeat: call.isHeartbeat, name: 'ingestBatch' };
      return { ingestedCount: await calls.run('ingestBatch', call, ({ session }) => ingestMessages(session, batch)) };
    },
    afterTurn: (call) => follow('afterTurn', call),
    commitTurn: async (call) => {
      requireMessages('commitTurn', call?.messages);
      const { advancementKey } = call;
      if (typeof advancementKey !== 'string' || advancementKey === '') {
        throw unknownContract('commitTurn', 'advancementKey is no text');
      }
      return { status: await calls.run('commitTurn', call, (conversation) => commitTurn(conversation, call)) };
    },
    assemble: async (call) => {
      requireMessages('assemble', call?.messages);
      return calls.orAsGiven(call, () => calls.run('assemble', call, (one) => assemblePrompt(one, call, { isOurs })));
    },
    compact: async (call) => {
      requireCall('compact', call);
      if (!isOurs) return delegateCompaction(call);
      return calls.run('compact', call, (conversation) => {
        conversation.windowTokens = windowForCompaction(call);
        return compactForOpenClaw(conversation.session, call, modelFor(conversation, call));
      });
    },
    dispose: () => calls.dispose(),
  };
}

/** How calls get at conversations. */
interface HoldingCalls {
  run<Result>(name: string, call: EngineCall, work: (conversation: Conversation) => Promise<Result>): Promise<Result>;
  /** The messages as OpenClaw gave them, where no prompt can be made of them; that is logged. An abort is thrown. */
  orAsGiven(call: AssembleCall, work: () => Promise<AssembleResult>): Promise<AssembleResult>;
  dispose(): Promise<void>;
}

function holdingCalls({ config, logger }: EngineOptions): HoldingCalls {
  const conversations = conversationsOf(config);
  const held = new Set<string>();
  let isDisposed = false;
  const release = async (sessionId: string): Promise<void> => {
    if (held.delete(sessionId)) await conversations.release(sessionId);
  };
  return {
    run: async (name, call, work) => {
      requireCall(name, call);
      warnOfSettings(call, logger);
      throwIfAborted(call.abortSignal);
      const { sessionId } = call;
      if (!held.has(sessionId)) conversations.hold(call);
      held.add(sessionId);
      try {
        return await conversations.run(call, work);
      } finally {
        // Who calls after the end gets an answer, and holds nothing.
        if (isDisposed) await release(sessionId);
      }
    },
    orAsGiven: async ({ messages }, work) => {
      try {
        return await work();
      } catch (error) {
        if (!VarveError.is(error) || error.code === 'VARVE_ABORTED' || error.code === 'VARVE_OPTION_INVALID')
          throw error;
        logger?.warn?.(
          `varve: the messages are sent as OpenClaw has them. ${error.code}: ${error.message} ${error.fix}`,
        );
        return { messages, estimatedTokens: 0 };
      }
    },
    dispose: async () => {
      isDisposed = true;
      await Promise.all([...held].map(release));
    },
  };
}
