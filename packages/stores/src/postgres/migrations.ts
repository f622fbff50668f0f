import type { TableNames } from './table-names.ts';

/** One step of the tables to what this version knows. Never changed once it is released. */
type Migration = (tables: TableNames) => string;

/**
 * Entries are text, not `jsonb`: that refuses U+0000, drops the order of keys and changes numbers. What is looked for has
 * columns of its own, compared byte by byte.
 */
const first: Migration = ({ journals, entries, replacements, sessions }) => `
  CREATE TABLE ${journals} (
    session_id text COLLATE "C" PRIMARY KEY,
    header text NOT NULL,
    last_seq bigint NOT NULL DEFAULT 0,
    checkpoint_seq bigint,
    generation bigint NOT NULL DEFAULT 0,
    fence bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  CREATE TABLE ${entries} (
    session_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    entry_id text COLLATE "C" NOT NULL,
    entry text NOT NULL,
    checkpoint text,
    PRIMARY KEY (session_id, seq)
  );
  CREATE INDEX varve_entries_by_id ON ${entries} (session_id, entry_id);
  CREATE TABLE ${replacements} (
    replacement text COLLATE "C" NOT NULL,
    begun_at timestamptz NOT NULL DEFAULT now(),
    seq bigint NOT NULL,
    entry_id text COLLATE "C" NOT NULL,
    entry text NOT NULL,
    checkpoint text,
    PRIMARY KEY (replacement, seq)
  );
  CREATE TABLE ${sessions} (
    session_id text COLLATE "C" PRIMARY KEY,
    rev bigint NOT NULL,
    written_by text COLLATE "C" NOT NULL,
    record text NOT NULL,
    updated_at double precision NOT NULL,
    place bytea NOT NULL,
    agent_id text COLLATE "C" NOT NULL,
    key text COLLATE "C",
    state text COLLATE "C" NOT NULL,
    channel text COLLATE "C",
    chat_type text COLLATE "C",
    parent_session_key text COLLATE "C",
    search text COLLATE "C" NOT NULL
  ) WITH (fillfactor = 80);
  CREATE INDEX varve_sessions_by_time ON ${sessions} (updated_at DESC, place, session_id);
  CREATE INDEX varve_sessions_by_key ON ${sessions} (key) WHERE key IS NOT NULL;
  CREATE INDEX varve_sessions_by_agent ON ${sessions} (agent_id, updated_at DESC);
  CREATE INDEX varve_sessions_by_state ON ${sessions} (state, updated_at DESC);
  CREATE INDEX varve_sessions_by_channel ON ${sessions} (channel, updated_at DESC) WHERE channel IS NOT NULL;
  CREATE INDEX varve_sessions_by_chat_type ON ${sessions} (chat_type, updated_at DESC) WHERE chat_type IS NOT NULL;
  CREATE INDEX varve_sessions_by_parent ON ${sessions} (parent_session_key, updated_at DESC)
    WHERE parent_session_key IS NOT NULL;`;

/** Where a server has it, the quicker compression for long entries; where not, its own. */
const compressed: Migration = ({ entries }) => `
  BEGIN
    EXECUTE $sql$ALTER TABLE ${entries} ALTER COLUMN entry SET COMPRESSION lz4$sql$;
  EXCEPTION WHEN feature_not_supported OR invalid_parameter_value OR syntax_error THEN
    NULL;
  END;`;

/** Journals that are put away. */
const packed: Migration = ({ journals }) => `
  ALTER TABLE ${journals} ADD COLUMN packed boolean NOT NULL DEFAULT false;`;

const migrations: readonly Migration[] = [(tables) => `${first(tables)}${compressed(tables)}`, packed];

/** Version of the tables that this store works with. */
export const tablesVersion: number = migrations.length;

/** Two stores that begin at once, also in different schemas, wait for each other. Any number that nobody else uses. */
const lock = 7_244_115_830;

/**
 * One statement that brings the tables to {@link tablesVersion}, or does nothing: all of it or none, and with nothing left
 * open or locked when the connection is lost in the middle.
 */
export function migrationStatement(tables: TableNames): string {
  const { schema, migrations: table } = tables;
  const steps = migrations.map(
    (migration, index) => `
  IF varve_version < ${index + 1} THEN
    ${migration(tables)}
    INSERT INTO ${table} (version) VALUES (${index + 1});
  END IF;`,
  );
  return `DO $varve$
DECLARE varve_version integer;
BEGIN
  PERFORM pg_advisory_xact_lock(${lock});
  ${schema === null ? '' : `CREATE SCHEMA IF NOT EXISTS ${schema};`}
  CREATE TABLE IF NOT EXISTS ${table} (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
  SELECT coalesce(max(version), 0) INTO varve_version FROM ${table};${steps.join('')}
END
$varve$`;
}
