import type { Turn } from '../dialogue.ts';
import { redactor } from './1-redactor.ts';
import { wire } from './2-wire.ts';
import { estimator } from './3-estimator.ts';
import { fold } from './4-fold.ts';
import { digest } from './5-digest.ts';
import { handOver } from './6-hand-over.ts';

/** The whole dialogue, in order. */
export const turns: readonly Turn[] = [...redactor, ...wire, ...estimator, ...fold, ...digest, ...handOver];
