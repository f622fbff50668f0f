import { type EventBus, noSession } from './events.ts';
import type { Plugin } from './plugin.ts';

/** What is said of an option that still works and is going away. */
export interface Deprecation {
  /** Version of the plugin since which it should not be used. */
  readonly since: string;
  /** Version of the plugin in which it will be gone. */
  readonly removal: string;
  /** What to give instead: the name of an option. */
  readonly instead: string;
}

/** What this process has been told. */
const told = new Set<string>();

/** What there is to say of the options that a plugin was given; one line each. */
export function deprecationNotices({ name, given, deprecated = {} }: Plugin): readonly string[] {
  const options = given as Readonly<Record<string, unknown>>;
  return Object.entries(deprecated).flatMap(([option, { since, removal, instead }]) =>
    options[option] === undefined
      ? []
      : [`Plugin "${name}": option "${option}" is deprecated since ${since}, gone in ${removal}; use "${instead}".`],
  );
}

/** Tells each notice once a process, as a `warning`, as soon as somebody listens. Called when a session is opened. */
export function tellNotices(notices: readonly string[], events: EventBus): void {
  if (!events.hasListeners('warning')) return;
  for (const text of notices) {
    if (told.has(text)) continue;
    told.add(text);
    events.emit('warning', { ...noSession, text });
  }
}
