import type { VerboseLevel } from './setting-values.ts';

/** What a conversation has where it chose nothing itself. */
export interface SessionDefaults {
  /** A short name, or `provider/model`. @default the default of `models` */
  readonly model?: string | null | undefined;
  /** How much the model thinks, as a word for its port. @default the model's own way */
  readonly thinking?: string | null | undefined;
  /** @default 'off' */
  readonly verbose?: VerboseLevel | null | undefined;
}

/** Which conversations have defaults of their own. */
export interface DefaultsAbout {
  readonly agentId: string;
  /** Where the conversation was begun; `null` where nobody knows. */
  readonly channel: string | null;
}

/** Says what conversations have that chose nothing. Asked for each message: it should be quick. Pure. */
export type DefaultsOf = (about: DefaultsAbout) => SessionDefaults;
