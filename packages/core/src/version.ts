/**
 * Version of the plugin API, checked against each plugin's `apiVersion`. Not the package's version: its minor grows
 * when a hook or field is added, its major when one goes.
 */
export const API_VERSION = '1.0.0';
