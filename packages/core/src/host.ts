// What `@varve/sessions` and gateways need of core beside its public interface: hooks that are run around a session.
export { messageOfError } from './errors.ts';
export { entryProblem } from './journal/entry-problem.ts';
export { readableJournal } from './journal/readable-journal.ts';
export { askDelivery } from './session/ask/ask-delivery.ts';
export { askReset } from './session/ask/ask-reset.ts';
export { type CommandOfText, commandOfText } from './session/ask/command-of-text.ts';
export { emitEvent } from './session/ask/emit-event.ts';
export { keysOfSession } from './session/ask/keys-of-session.ts';
export { messageOfKey } from './session/ask/message-of-key.ts';
export { type StateOfSession, stateOfSession } from './session/ask/state-of-session.ts';
export { takesLong } from './session/ask/takes-long.ts';
export { type WorkOfSession, workOfSession } from './session/ask/work-of-session.ts';
export { checkShape, signalSchema } from './session/option-checks.ts';
