import type { CommandLine } from '../../plugins/hooks.ts';

/** The commands of core, as `/help` lists them. */
export const ownLines: readonly CommandLine[] = [
  {
    command: '/compact [focus]',
    what: 'Summarises older messages now; the summary pays attention to the focus.',
    takesLong: true,
  },
  { command: '/status', what: 'Shows the model, how full the prompt is, what was spent, and what fails.' },
  { command: '/context', what: 'Shows what is in the prompt, what is left out or shortened, and what takes most.' },
  { command: '/help', what: 'Shows this list.' },
];
