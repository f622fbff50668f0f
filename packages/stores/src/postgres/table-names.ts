import { VarveError } from '@varve/core';

/** The tables of one schema, as they stand in a statement. */
export interface TableNames {
  /** Whether a table is there can be asked with it; `null` for the first schema of the connection's search path. */
  readonly schema: string | null;
  readonly migrations: string;
  readonly journals: string;
  readonly entries: string;
  readonly replacements: string;
  readonly sessions: string;
}

/**
 * The names of the tables in a schema.
 *
 * @param schema  @default the first schema of the connection's search path
 * @throws VARVE_OPTION_INVALID  for a name that is not 1 to 63 letters, digits and `_`.
 */
export function tableNames(schema: string | undefined): TableNames {
  if (schema !== undefined && !/^\w{1,63}$/.test(schema)) throw schemaError(schema);
  const prefix = schema === undefined ? '' : `"${schema}".`;
  return {
    schema: schema === undefined ? null : `"${schema}"`,
    migrations: `${prefix}varve_migrations`,
    journals: `${prefix}varve_journals`,
    entries: `${prefix}varve_entries`,
    replacements: `${prefix}varve_replacements`,
    sessions: `${prefix}varve_sessions`,
  };
}

function schemaError(schema: string): VarveError {
  return new VarveError('VARVE_OPTION_INVALID', `A schema cannot be called ${JSON.stringify(schema)}.`, {
    fix: 'Give the schema a name of 1 to 63 letters, digits and underscores.',
    details: { schema },
  });
}
