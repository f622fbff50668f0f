/** Id of the plugin and of its engine: what `plugins.slots.contextEngine` names. */
export const engineId = 'varve';

/** Version of this package. */
export const engineVersion = '0.1.0';
