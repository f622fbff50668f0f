import { VarveError } from '../errors.ts';
import { requireJson } from '../storable-json.ts';
import { checkName, checkText } from './option-checks.ts';
import type { Session } from './session.ts';
import type { SessionJournal } from './session-journal.ts';

/** What a host stores in a session beside messages. */
export function hostEntries(journal: SessionJournal): Pick<Session, 'set' | 'setState' | 'record'> {
  return {
    set: async (name, value) => {
      checkName(name);
      const json = requireJson(value, { code: 'VARVE_OPTION_INVALID', what: `The setting "${name}"` });
      await journal.append([{ type: 'setting', name, value: json }]);
    },
    setState: async (slot, text) => {
      checkName(slot);
      checkText(text);
      await journal.append([{ type: 'state', slot, text }]);
    },
    record: async (type, data) => {
      checkRecordType(type);
      const json = requireJson(data, { code: 'VARVE_PLUGIN_RECORD', what: `The record "${type}"` });
      await journal.append([{ type, data: json }]);
    },
  };
}

/** A record's type is `owner:kind`; core's own records, and the other entry types, are not a host's to write. */
function checkRecordType(type: string): void {
  if (typeof type === 'string' && /^(?!core:)[a-z0-9][a-z0-9/_-]*:[a-z][a-z0-9-]*$/.test(type)) return;
  throw new VarveError('VARVE_PLUGIN_RECORD', `A record cannot have the type "${String(type)}".`, {
    fix: 'Use owner:kind, in lower-case letters, digits and dashes, such as transcripts:compaction.',
  });
}
