import { join } from 'node:path';
import { createHost, type Host, type ModelRef, nameOfModel, type Tokens } from '@varve/core';
import { createSessions, type Outgoing, type Sessions } from '@varve/sessions';
import { sessionsOptionsOf, type VarveConfig } from '@varve/sessions/config';
import { jsonlStore } from '@varve/stores/jsonl';
import { hostOptionsOf } from '../config/host-options-of.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { chatModels } from './chat-models.ts';
import { type ModelsOfTalk, modelsOfTalk } from './models-of-talk.ts';
import { offlineRef } from './offline-model.ts';
import type { Talk } from './talk-of-key.ts';

/** What a chat is opened with. */
export interface OpenTalkOptions {
  readonly root: string;
  /** `null`: everything has its default, and memory lies in the store. */
  readonly config: VarveConfig | null;
  readonly talk: Talk;
  /** Goes before what the configuration says; `null`: that holds. */
  readonly model: ModelRef | null;
  /** Size of prompts; `null` is what the configuration says, else what the model takes. */
  readonly budget: Tokens | null;
  readonly env: CliIo['env'];
  /** Told of what leaves beside answers. */
  announce(outgoing: Outgoing): void;
}

/** The conversations of a root, open for writing, and the one that is spoken with. */
export interface OpenTalk extends AsyncDisposable {
  readonly host: Host;
  readonly sessions: Sessions;
  /** Its key. */
  readonly keyText: string;
  readonly models: ModelsOfTalk;
}

/**
 * Opens the conversations of a root. Nothing is locked yet.
 *
 * @throws VARVE_USAGE  for a model that cannot be asked; and what the plugins say of their options.
 */
export async function openTalk(options: OpenTalkOptions): Promise<OpenTalk> {
  const { root, talk, model, budget, env, announce } = options;
  const config = chatConfig(options.config ?? {}, { root, agentId: talk.agentId });
  const ofTalk = modelsOfTalk(config, { talk, model });
  const models = chatModels({
    defaultModel: ofTalk.defaultModel,
    names: config.models?.names,
    providers: config.models?.providers,
    env,
  });
  models.requireReachable(ofTalk.defaultModel);
  const store = jsonlStore({ root });
  const host = await createHost({
    ...hostOptionsOf(config, { agentId: talk.agentId, portOf: models.portOf }),
    store,
    ...(budget === null ? {} : { budget: { inputTokens: Number.isFinite(budget) ? budget : null } }),
  });
  const sessions = createSessions({
    ...sessionsOptionsOf(config),
    defaults: ofTalk.defaultsOf,
    host,
    // The conversation was chosen by who talks, and not by where a channel's messages belong.
    routing: talk.routing,
    models,
    send: (outgoing) => {
      if (outgoing.kind === 'announcement' || outgoing.kind === 'cross-session') announce(outgoing);
    },
  });
  const { keyText } = sessions.route({
    ...talk.place,
    messageId: 'none',
    sender: { id: 'terminal', role: 'owner' },
    addressed: 'any',
    text: '',
  });
  const close = async (): Promise<void> => {
    await sessions.close();
    await host.close();
    await store[Symbol.asyncDispose]();
  };
  return { host, sessions, keyText, models: ofTalk, [Symbol.asyncDispose]: close };
}

/** The configuration, with the offline model among the names, and with memory in the store where it says nothing of it. */
function chatConfig(
  config: VarveConfig,
  { root, agentId }: { readonly root: string; readonly agentId: string },
): VarveConfig {
  const { models = {}, global = {}, agents = {} } = config;
  const own = agents[agentId]?.memory ?? global.memory;
  const memory = own ?? { enabled: true, dir: join(root, 'agents', agentId, 'workspace') };
  const names = { offline: nameOfModel(offlineRef), ...models.names };
  return { ...config, models: { ...models, names }, global: { ...global, memory: global.memory ?? memory } };
}
