import type { Random } from '@varve/testkit';
import { hexText } from './tool-output.ts';

/** Something that is said once, and asked for much later. */
export interface PlantedFact {
  readonly topic: string;
  /** The identifier; stands in no other text of the session. */
  readonly value: string;
  readonly by: 'user' | 'assistant';
  /** Decides how it is said. */
  readonly wording: number;
  /** Turns in which it is said and asked for, from 0. */
  readonly said: number;
  readonly asked: number;
}

/** A correction that the user makes, and the turn in which it is made. */
export interface Correction {
  readonly turn: number;
  readonly text: string;
}

/** What the system prompt demands. */
export const systemRules = [
  'Never push to the branch main without a review.',
  'Run the tests of a package before you say that it works.',
  'Secrets stay in the vault, never in a file of the repository.',
  'Answer in at most five sentences.',
] as const;

/** What the first message of the user demands. */
export const userRules = [
  'Always keep the public API of the billing package as it is.',
  'Do not add a dependency without asking me.',
  'Money is counted in whole cents, never in floating point.',
  'The database schema must not change before the release.',
] as const;

const corrections = [
  'No, use port 5433 for the orders database, not 5432.',
  'Actually, the release branch is release/2027.1 and not main.',
  'That is wrong: the retry limit of the mailer is 7, not 3.',
  'No, the customer is called Northwind Freight, not Northwind Foods.',
  'You misunderstood: the reports have to be in UTC, not in local time.',
  'I meant the staging cluster eu-west-3, not eu-west-1.',
] as const;

/** The corrections, spread over a session. */
export function plantCorrections(random: Random, turns: number): readonly Correction[] {
  return corrections.map((text, index) => {
    const share = turns / (corrections.length + 1);
    return { text, turn: Math.floor(share * (index + 0.5) + random.next() * share * 0.8) };
  });
}

interface ValueKind {
  readonly noun: string;
  readonly value: (random: Random) => string;
}

const kinds: readonly [ValueKind, ...ValueKind[]] = [
  { noun: 'rollback commit', value: (random) => hexText(random, 12) },
  { noun: 'runbook', value: (random) => `docs/runbooks/step-${random.integer(1_000, 9_999)}.md` },
  { noun: 'incident ticket', value: (random) => `INC-${random.integer(10_000, 99_999)}` },
  {
    noun: 'cut-over date',
    value: (random) => `20${random.integer(31, 79)}-0${random.integer(1, 9)}-${random.integer(10, 28)}`,
  },
  { noun: 'tenant id', value: (random) => `tnt_${hexText(random, 10)}` },
  {
    noun: 'pinned version',
    value: (random) => `${random.integer(20, 99)}.${random.integer(10, 99)}.${random.integer(10, 99)}`,
  },
  { noun: 'debug port', value: (random) => String(random.integer(30_000, 60_000)) },
  { noun: 'dashboard', value: (random) => `https://grafana.example.org/d/${hexText(random, 9)}` },
  {
    noun: 'feature flag',
    value: (random) => `enable_${random.pick(['fast', 'safe', 'dual', 'lazy'])}_path_${random.integer(100, 999)}`,
  },
];

const owners = ['billing', 'orders', 'search', 'mailer', 'gateway', 'reports', 'login', 'storage'] as const;

/** Facts, each said once and asked for 5 to 300 turns later: as often about 10 as about 100. */
export function plantFacts(
  random: Random,
  { turns, count }: { readonly turns: number; readonly count: number },
): readonly PlantedFact[] {
  const topics = kinds.flatMap(({ noun, value }) => owners.map((owner) => ({ topic: `${noun} of ${owner}`, value })));
  const chosen = [...topics].sort(() => random.next() - 0.5).slice(0, count);
  const most = Math.min(300, turns - 2);
  return chosen.map(({ topic, value }, index) => {
    const distance = Math.min(most, Math.round(5 * (most / 5) ** random.next()));
    const said = random.integer(1, turns - 1 - distance);
    const by = index % 2 === 0 ? 'user' : 'assistant';
    return { topic, value: value(random), by, wording: random.integer(0, 5), said, asked: said + distance };
  });
}

const sentences = {
  user: [
    (topic: string, value: string) => `By the way, the ${topic} is ${value}.`,
    (topic: string, value: string) => `For later: the ${topic} = ${value}.`,
    (topic: string, value: string) => `We moved the ${topic} to ${value}.`,
    (topic: string, value: string) => `${value} is the ${topic}, in case it comes up.`,
    (topic: string, value: string) => `Use ${value} as the ${topic}.`,
    (topic: string, value: string) => `Note down the ${topic}: ${value}.`,
  ],
  assistant: [
    (topic: string, value: string) => `Along the way I saw that the ${topic} is ${value}.`,
    (topic: string, value: string) => `The ${topic}: ${value}.`,
    (topic: string, value: string) => `I have set the ${topic} to ${value}.`,
    (topic: string, value: string) => `${value} turned out to be the ${topic}.`,
    (topic: string, value: string) => `The ${topic} has been changed to ${value} meanwhile.`,
    (topic: string, value: string) => `I found the ${topic}, ${value}, in the old notes.`,
  ],
} as const;

/** How a speaker mentions a fact. */
export function sentenceOf({ topic, value, by, wording }: PlantedFact): string {
  const told = sentences[by];
  return told[wording % told.length]?.(topic, value) ?? '';
}

/** How the user asks for it. */
export function questionOf({ topic }: PlantedFact): string {
  return `What was the ${topic} again?`;
}
