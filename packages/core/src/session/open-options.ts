import { z } from 'zod';
import type { NewEntry, RecordEntry } from '../journal/entry.ts';
import type { JsonValue } from '../json-value.ts';
import { requireJson } from '../storable-json.ts';
import type { Tokens, Ulid } from '../units.ts';
import { checkOptionNames, type OptionNames } from './known-options.ts';
import { checkRecordType, checkShape } from './option-checks.ts';
import type { SessionNames } from './record/session-record-keeper.ts';

/** What a session begins with: stored with its first append, so that nothing goes into it before that holds. */
export interface SessionBeginning {
  /** Settings, by name. Of a session that has entries already, they change nothing. @default none */
  readonly settings?: Readonly<Record<string, JsonValue>> | undefined;
  /**
   * Texts of state slots, by slot; `null` for one that is to be empty, as in a fork. Of a session that has entries already,
   * they change nothing. @default none
   */
  readonly state?: Readonly<Record<string, string | null>> | undefined;
  /**
   * Records of the host, or of an importer, by `owner:kind`: what is to be known of the session however soon the process
   * ends. Of a session that has entries already, they change nothing. @default none
   */
  readonly records?: Readonly<Record<RecordEntry['type'], JsonValue>> | undefined;
}

/** How a session is opened. What is said of it stands in its record; what is left out stays there as it is. */
export interface OpenOptions extends SessionNames, SessionBeginning {
  /** The generation of its key that came before: stands in the header of a journal that this begins. @default none */
  readonly previousSessionId?: string | undefined;
  /**
   * Looks at the session and leaves no trace: takes no lock, appends nothing, makes no record. Prompts are dry runs, and
   * what would change the session throws `VARVE_STORE_READ_ONLY`. It reads the journal anew for each prompt, plan and
   * explanation. @default false
   */
  readonly readOnly?: boolean | undefined;
}

/** How a session is begun with what another one holds. Settings and state stand behind what is copied, and win. */
export interface ForkOptions extends Omit<OpenOptions, 'readOnly'> {
  /** Id of the fork. One that is known to the store is refused, unless it is this fork and was not finished. */
  readonly newSessionId: string;
  /**
   * Id of the last entry that the fork shares with the session. One inside a group of a call and its results stands for
   * the end of that group. @default the last entry that is stored
   */
  readonly at?: Ulid | undefined;
  /** Most tokens of the messages that a prompt of the fork is made of, as they were counted. @default no limit */
  readonly mostTokens?: Tokens | undefined;
}

/** Options of `host.open` in the parts that go different ways. */
export interface CheckedOpening {
  readonly names: SessionNames;
  readonly readOnly: boolean;
  readonly previousSessionId: string | undefined;
  /** Entries for settings, state and records. */
  readonly beginning: readonly NewEntry[];
}

/** Options of `host.fork` in the parts that go different ways. */
export interface CheckedFork extends CheckedOpening, Pick<ForkOptions, 'newSessionId' | 'at' | 'mostTokens'> {}

const nameOptions: OptionNames<SessionNames> = {
  key: true,
  agentId: true,
  channel: true,
  chatType: true,
  identity: true,
  parentSessionKey: true,
  label: true,
  displayName: true,
};

const openOptions: OptionNames<OpenOptions> = {
  ...nameOptions,
  readOnly: true,
  previousSessionId: true,
  settings: true,
  state: true,
  records: true,
};

const forkOptions: OptionNames<ForkOptions> = {
  ...nameOptions,
  previousSessionId: true,
  settings: true,
  state: true,
  records: true,
  newSessionId: true,
  at: true,
  mostTokens: true,
};

const name = z.string().min(1);

const openShape = {
  key: z.string().min(1).optional(),
  agentId: z.string().min(1).optional(),
  channel: z.string().optional(),
  chatType: z.enum(['direct', 'group', 'channel']).optional(),
  identity: z.string().min(1).nullish(),
  parentSessionKey: z.string().optional(),
  label: z.string().optional(),
  displayName: z.string().optional(),
  readOnly: z.boolean().optional(),
  previousSessionId: z.string().min(1).optional(),
  settings: z.record(name, z.unknown()).optional(),
  state: z.record(name, z.string().nullable()).optional(),
  records: z.record(name, z.unknown()).optional(),
} satisfies Record<keyof OpenOptions, z.ZodType>;

const openSchema: z.ZodType = z.object(openShape);

const forkSchema: z.ZodType = z.object({
  ...openShape,
  newSessionId: z.string().min(1),
  at: z.string().min(1).optional(),
  mostTokens: z.number().nonnegative().optional(),
} satisfies Record<keyof ForkOptions | 'readOnly', z.ZodType>);

/** Checks how a session is to be opened, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID, VARVE_PLUGIN_RECORD */
export function checkOpen(given: OpenOptions): CheckedOpening {
  checkShape(given, { schema: openSchema, fix: 'Give names as texts, as OpenOptions describes them.' });
  checkOptionNames(given, { what: 'host.open', names: openOptions });
  return partsOf(given);
}

/** Checks how a session is to be forked, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID, VARVE_PLUGIN_RECORD */
export function checkFork(given: ForkOptions): CheckedFork {
  checkShape(given, { schema: forkSchema, fix: 'Give { newSessionId }, with names as ForkOptions describes them.' });
  checkOptionNames(given, { what: 'host.fork', names: forkOptions });
  const { newSessionId, at, mostTokens, ...rest } = given;
  return { ...partsOf(rest), newSessionId, at, mostTokens };
}

function partsOf({
  readOnly = false,
  previousSessionId,
  settings = {},
  state = {},
  records = {},
  ...names
}: OpenOptions): CheckedOpening {
  const ofSettings = Object.entries(settings).map(([setting, value]): NewEntry => {
    const what = `The setting "${setting}"`;
    return { type: 'setting', name: setting, value: requireJson(value, { code: 'VARVE_OPTION_INVALID', what }) };
  });
  const ofState = Object.entries(state).map(([slot, text]): NewEntry => ({ type: 'state', slot, text }));
  const ofRecords = Object.entries(records).map(([type, data]): NewEntry => {
    const checked = checkRecordType(type);
    const what = `The record "${type}"`;
    return { type: checked, data: requireJson(data, { code: 'VARVE_OPTION_INVALID', what }) };
  });
  return { names, readOnly, previousSessionId, beginning: [...ofSettings, ...ofState, ...ofRecords] };
}
