import { describeEngine } from '@varve/testkit/vitest';
import { engineId, templateEngine } from '../templates/engine/src/index.ts';

describeEngine('the engine of the template', { engine: engineId, plugin: () => templateEngine() });
