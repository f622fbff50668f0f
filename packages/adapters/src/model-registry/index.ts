/** What is known of models: windows, limits, prices, caches and images. */
export { type ListedModelRegistry, type ModelRegistryOptions, modelRegistry } from './model-registry.ts';
