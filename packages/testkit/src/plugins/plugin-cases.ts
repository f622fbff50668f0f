import { effectCases } from './effect-cases.ts';
import { identityCases } from './identity-cases.ts';
import { inputCases } from './input-cases.ts';
import type { PluginCase } from './plugin-subject.ts';
import { purityCases } from './purity-cases.ts';
import { toolCases } from './tool-cases.ts';

/** What every plugin has to fulfil. */
export const pluginCases: readonly PluginCase[] = [
  ...identityCases,
  ...inputCases,
  ...purityCases,
  ...effectCases,
  ...toolCases,
];
