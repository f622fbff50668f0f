import { requireJson } from '../storable-json.ts';
import { checkName, checkRecordType, checkText } from './option-checks.ts';
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
