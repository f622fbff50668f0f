/** The name of the plugin: what it adds to a prompt is known by it. */
export const pluginName = 'recall';
