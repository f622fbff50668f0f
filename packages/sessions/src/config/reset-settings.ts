/** When a conversation ends by itself. */
export interface ResetSettings {
  /** `daily`: at an hour of the day; `idle`: when nobody has written for long; `none`: never. @default 'daily' */
  readonly mode?: 'none' | 'daily' | 'idle' | undefined;
  /** For `daily`: the hour at which a day ends, 0 to 23. @default 4 */
  readonly atHour?: number | undefined;
  /** Whose hours these are, such as `Asia/Shanghai`. @default null, the machine's own */
  readonly timeZone?: string | null | undefined;
  /** Minutes without a message of a person; in mode `daily` beside the hour. @default null: 60 for `idle`, else never */
  readonly idleMinutes?: number | null | undefined;
  /** In mode `daily` with `idleMinutes`: whether one of the two is enough, or both are needed. @default 'any' */
  readonly combine?: 'any' | 'all' | undefined;
}

/** Rules that differ for a type of conversation; `dm` is `direct`. */
export type ResetByType = { readonly [Type in 'direct' | 'dm' | 'group' | 'thread']?: ResetSettings | undefined };
