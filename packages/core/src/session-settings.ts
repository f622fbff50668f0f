/**
 * The settings that Varve's own parts know, by name: what `session.set` takes as its first argument and what
 * `session.view.settings` and `OpenOptions.settings` have as keys. A host may have any others beside them.
 */
export const sessionSettings = {
  /**
   * The model that answers, as `provider/model`. Written by `/model`; read by core, which ends sticky edits and the
   * calibration of token counts with it, and by whoever chooses the model of a turn. @default the host's own choice
   */
  model: 'model',
  /**
   * How much the model is to think, as a word that the host gives to its model: `off`, `minimal`, `low`, `medium`, `high`,
   * `xhigh` of `@varve/sessions`, or another. Written by `/think`, read by whoever makes the model call. @default the model's own
   */
  thinking: 'thinking',
  /**
   * Whether people are told what else happens: `off`, `on` for compactions, `full` for tools, too; `true` and `false` are
   * read as `on` and `off`. Written by `/verbose`, read by hosts. @default not
   */
  verbose: 'verbose',
  /**
   * What may leave the session: an override over the rules of a send policy. Written by `/send`, read by the plugin
   * `send-policy`. A security setting: each generation of a key has that of the one before. @default inherit
   */
  send: 'send',
  /**
   * `true` keeps the conversation out of what others may learn: nothing of it is saved to memory, and no other session
   * finds it. Read by the plugins `memory-flush`, `workspace-layers` and `recall`. A security setting. @default not
   */
  incognito: 'incognito',
} as const;

/** The name of a setting that Varve's own parts know. */
export type SessionSettingName = keyof typeof sessionSettings;
