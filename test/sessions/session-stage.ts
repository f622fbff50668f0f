import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AssistantMessage,
  type BudgetOptions,
  createHost,
  type Entry,
  type Events,
  type Host,
  type Message,
  type ModelPort,
  type Plugin,
  type Session,
  type Store,
  type TurnRecord,
  VarveError,
} from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { type ManualClock, manualClock, seededRandom } from '@varve/testkit';
import { type ModelScript, type ModelServer, startModelServer } from '@varve/testkit/model-server';
import { backgroundWatch, someLoops } from './background-watch.ts';
import type { ModelApi } from './model-apis.ts';
import { beginBill, beginWholeBill, type RunningBill, type WholeBill } from './model-bill.ts';
import { boundedSummariser, byModel, type ScriptedAgent, scriptedAgent } from './scripted-agent.ts';
import type { SessionPlan } from './session-plan.ts';
import { type PromptWatch, watchPrompts } from './watch-prompts.ts';

/** By how much more the server counts than the client does. */
const countFactor = 1.15;

/** What a session is played with. */
export interface StageOptions {
  readonly plan: SessionPlan;
  readonly api: ModelApi;
  /** Window of the model. @default 32 000 */
  readonly contextTokens?: number;
  /** What the host is told of it. @default the window */
  readonly budget?: BudgetOptions;
  /** The plugins, with the ports of both summarisers. */
  readonly plugins: (models: readonly [ModelPort, ModelPort]) => readonly Plugin[];
  /** Plays the first summariser, and the second one. @default one that does what it is asked */
  readonly summary?: (clock: ManualClock) => ModelScript;
  readonly second?: (clock: ManualClock) => ModelScript;
  /** Stands between the agent and the server. @default nothing */
  readonly around?: (agent: ModelScript) => ModelScript;
}

/** What was acknowledged: it must stand in the journal once. */
interface Acknowledged {
  readonly users: string[];
  readonly answers: AssistantMessage[];
}

/** A session with all that it needs, from the files to the server. */
export interface SessionStage extends AsyncDisposable {
  readonly options: StageOptions;
  readonly server: ModelServer;
  readonly clock: ManualClock;
  readonly agent: ScriptedAgent;
  readonly bill: RunningBill;
  readonly whole: WholeBill;
  readonly watch: PromptWatch;
  readonly acknowledged: Acknowledged;
  /** Codes of errors that reached whoever called `turn`. */
  readonly errors: string[];
  /** The folder of the store. */
  readonly root: string;
  readonly session: () => Session;
  readonly port: ModelPort;
  /** Plays a turn, and waits for what runs beside it unless told otherwise; `null` when it threw. */
  play(turn: number, wishes?: { readonly waits?: boolean }): Promise<TurnRecord | null>;
  /** Waits for the compaction that runs beside the session. */
  settle(): Promise<void>;
  /** Gives such a compaction the time to begin. */
  loops(): Promise<void>;
  /** Events of the host, until the session is opened again. */
  readonly events: Events;
  /** Closes all, and opens it again as another process would. */
  reopen(): Promise<void>;
  /** The journal, as the store gives it. */
  entries(): Promise<readonly Entry[]>;
}

/** Sets everything up, and begins the session with its system prompt. */
export async function openStage(options: StageOptions): Promise<SessionStage> {
  const { plan, api, contextTokens = 32_000 } = options;
  const clock = manualClock();
  const agent = scriptedAgent(plan);
  const { around = (script) => script, summary = boundedSummariser, second = boundedSummariser } = options;
  const script = byModel({ agent: around(agent.script), summary: summary(clock), second: second(clock) });
  const server = await startModelServer({ provider: api.provider, contextTokens, countFactor, clock, script });
  const root = mkdtempSync(join(tmpdir(), 'varve-sessions-'));
  const bill = beginBill(api);
  const whole = beginWholeBill(api, { clock, factor: countFactor });
  const acknowledged: Acknowledged = { users: [], answers: [] };
  const port = bill.bill(api.port(server, 'agent'), (message) => {
    agent.note(message);
    acknowledged.answers.push(message);
    whole.ask();
    whole.add(message);
  });
  const opened = await openSession(options, { clock, root, server, bill });
  const begin: Message = { role: 'system', content: plan.system };
  await opened.session.ingest(begin);
  whole.add(begin);
  const state: StageState = { opened, seen: 0 };
  const errors: string[] = [];
  const watch = watchPrompts(plan, contextTokens);
  const facts = { options, server, clock, agent, bill, whole, watch, acknowledged, errors, root, port };
  return {
    ...facts,
    session: () => state.opened.session,
    play: (turn, { waits = true } = {}) => playTurn(state, facts, { turn, waits }),
    settle: () => state.opened.settle(),
    loops: someLoops,
    events: opened.host.events,
    reopen: async () => {
      await state.opened.close();
      state.opened = await openSession(options, { clock, root, server, bill });
    },
    entries: async () => {
      const entries: Entry[] = [];
      for await (const entry of state.opened.session.read()) entries.push(entry);
      return entries;
    },
    [Symbol.asyncDispose]: async () => {
      await state.opened.close();
      await server.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

interface StageState {
  opened: OpenedSession;
  /** Requests of the server that were looked at. */
  seen: number;
}

type StageFacts = Pick<
  SessionStage,
  'options' | 'server' | 'clock' | 'agent' | 'bill' | 'whole' | 'watch' | 'acknowledged' | 'errors' | 'root' | 'port'
>;

async function playTurn(
  state: StageState,
  facts: StageFacts,
  { turn, waits }: { readonly turn: number; readonly waits: boolean },
): Promise<TurnRecord | null> {
  const { options, clock, agent, whole, acknowledged, server, watch, port, errors } = facts;
  const planned = options.plan.turns[turn];
  if (planned === undefined) throw new Error(`no turn ${turn} was planned`);
  clock.advance(planned.pauseMs);
  agent.begin(turn);
  const message: Message = { role: 'user', content: planned.message };
  whole.add(message);
  const ran = agent.executed.length;
  const record = await turnOrError(() =>
    state.opened.session.turn({ message, model: port, tools: agent.tools, onDelta: () => undefined }),
  );
  if (record instanceof Error) errors.push(`turn ${turn}: ${record.message}`);
  acknowledged.users.push(planned.message);
  for (const { toolCallId, text } of agent.executed.slice(ran)) whole.add(resultOf(toolCallId, text));
  if (waits) await state.opened.settle();
  watch.look(turn, server.requests.slice(state.seen));
  state.seen = server.requests.length;
  return record instanceof Error ? null : record;
}

async function turnOrError(work: () => Promise<TurnRecord>): Promise<TurnRecord | Error> {
  try {
    return await work();
  } catch (error) {
    if (VarveError.is(error)) return new Error(`${error.code}: ${error.message}`);
    throw error;
  }
}

function resultOf(toolCallId: string, value: string): Message {
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName: 'any', output: { type: 'text', value } }],
  };
}

interface OpenedSession {
  readonly host: Host;
  readonly session: Session;
  settle(): Promise<void>;
  close(): Promise<void>;
}

async function openSession(
  { plan, api, plugins, contextTokens = 32_000, budget = { contextTokens } }: StageOptions,
  { clock, root, server, bill }: Pick<StageFacts, 'clock' | 'root' | 'server' | 'bill'>,
): Promise<OpenedSession> {
  const store: Store = jsonlStore({ root, durability: 'os' });
  const models = [bill.bill(api.port(server, 'summary')), bill.bill(api.port(server, 'second'))] as const;
  const random = seededRandom(plan.seed + server.requests.length).next;
  const host = await createHost({ store, clock, random, budget, plugins: plugins(models) });
  const background = backgroundWatch(host.events);
  const session = await host.open('s');
  return {
    host,
    session,
    settle: background.settle,
    close: async () => {
      await host.close();
      await store[Symbol.asyncDispose]();
    },
  };
}
