import type { Entry } from '../journal/entry.ts';
import type { EventBase, EventBus, EventName, HostEvents, LiveEvents } from './events.ts';
import { eventsOfEntry } from './journal-events.ts';

/** The events of one session: what is told of it, without saying each time which session it is. */
export interface SessionEvents {
  /** What every event of the session says, as it is known now. */
  base(): EventBase;
  /** Tells of something that this process did. */
  emit<Name extends keyof LiveEvents>(name: Name, facts: Omit<LiveEvents[Name], keyof EventBase>): void;
  /** Tells of an entry that is durable. The only source of journal events on the bus. */
  stored(entry: Entry): void;
  /** Whether an event would reach anybody. */
  hasListeners(name: EventName): boolean;
}

/** Makes the events of a session; `base` is asked for each, so that a new label is told at once. */
export function createSessionEvents(bus: EventBus, base: () => EventBase): SessionEvents {
  return {
    base,
    emit: (name, facts) => {
      if (bus.hasListeners(name)) bus.emit(name, { ...facts, ...base() } as unknown as HostEvents[typeof name]);
    },
    stored: (entry) => {
      for (const { name, event } of eventsOfEntry(entry, base())) bus.emit(name, event);
    },
    hasListeners: bus.hasListeners,
  };
}
