import { join } from 'node:path';
import { createHost, type Host, type ModelRef, nameOfModel, type Store, type Tokens } from '@varve/core';
import { createSessions, type DefaultsAbout, type Outgoing, type RoutingOptions, type Sessions } from '@varve/sessions';
import { sessionsOptionsOf, type VarveConfig } from '@varve/sessions/config';
import { hostOptionsOf } from '../config/host-options-of.ts';
import { type AnsweringModels, answeringModels } from '../models/answering-models.ts';
import { chatModels } from '../models/chat-models.ts';
import { offlineRef } from '../models/offline-model.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** What conversations are opened with. */
export interface OpenConversationsOptions {
  /** Where memory lies that the configuration says nothing of. */
  readonly root: string;
  /** Keeps the journals; closed with the conversations. */
  readonly store: Store;
  /** `null`: everything has its default, and memory lies in the store. */
  readonly config: VarveConfig | null;
  /** Whose plugins run, and where the model is looked for that answers by itself. */
  readonly about: DefaultsAbout;
  /** Goes before what the configuration says; `null`: that holds. */
  readonly model: ModelRef | null;
  /** Size of prompts; `null` is what the configuration says, else what the model takes. */
  readonly budget: Tokens | null;
  readonly env: CliIo['env'];
  /** Where messages belong. @default what the configuration says */
  readonly routing?: RoutingOptions | undefined;
  /** Told of what leaves beside answers. */
  announce(outgoing: Outgoing): void;
}

/** Conversations, open for writing. */
export interface OpenConversations extends AsyncDisposable {
  readonly host: Host;
  readonly sessions: Sessions;
  readonly models: AnsweringModels;
}

/**
 * Opens the conversations of a store as a configuration says, with their plugins and models. Nothing is locked yet.
 *
 * @throws VARVE_USAGE  for a model that cannot be asked; and what the plugins say of their options.
 */
export async function openConversations(options: OpenConversationsOptions): Promise<OpenConversations> {
  const { store, about, model, budget, env, routing, announce } = options;
  const { agentId } = about;
  const config = withMemory(options.config ?? {}, { root: options.root, agentId });
  const answering = answeringModels(config, { about, model });
  const models = chatModels({
    defaultModel: answering.defaultModel,
    names: config.models?.names,
    providers: config.models?.providers,
    env,
  });
  models.requireReachable(answering.defaultModel);
  const host = await createHost({
    ...hostOptionsOf(config, { agentId, portOf: models.portOf }),
    store,
    ...(budget === null ? {} : { budget: { inputTokens: Number.isFinite(budget) ? budget : null } }),
  });
  const sessions = createSessions({
    ...sessionsOptionsOf(config),
    defaults: answering.defaultsOf,
    host,
    ...(routing === undefined ? {} : { routing }),
    models,
    send: (outgoing) => {
      if (outgoing.kind === 'announcement' || outgoing.kind === 'cross-session') announce(outgoing);
    },
  });
  const close = async (): Promise<void> => {
    await sessions.close();
    await host.close();
    await store[Symbol.asyncDispose]();
  };
  return { host, sessions, models: answering, [Symbol.asyncDispose]: close };
}

/** The configuration, with the offline model among the names, and with memory in the store where it says nothing of it. */
function withMemory(
  config: VarveConfig,
  { root, agentId }: { readonly root: string; readonly agentId: string },
): VarveConfig {
  const { models = {}, global = {}, agents = {} } = config;
  const own = agents[agentId]?.memory ?? global.memory;
  const memory = own ?? { enabled: true, dir: join(root, 'agents', agentId, 'workspace') };
  const names = { offline: nameOfModel(offlineRef), ...models.names };
  return { ...config, models: { ...models, names }, global: { ...global, memory: global.memory ?? memory } };
}
