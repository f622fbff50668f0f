import { answeringCases } from './answering-cases.ts';
import { failingCases } from './failing-cases.ts';
import type { ModelPortCase } from './model-port-subject.ts';

/** What every model port has to fulfil. */
export const modelPortCases: readonly ModelPortCase[] = [...answeringCases, ...failingCases];
