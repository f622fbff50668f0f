import { type Sample, topics } from './sample.ts';

/** A sample with the name of its folder. */
interface NamedSample {
  readonly folder: string;
  readonly sample: Sample;
}

const head = `# Samples

Each sample is a folder with three files: a short journal to begin with (\`journal.jsonl\`), a few lines that do something
to it (\`case.ts\`), and what comes of it (\`expected.json\`): the entries that were appended, the prompt, and why each entry
is or is not in it. They are read as documentation and run as tests. Words are counted as tokens, 4 more for each
message, so that sizes can be checked by eye.

This page is written by the tests: \`VARVE_UPDATE_SAMPLES=1 pnpm vitest run --project test test/samples\` makes it anew,
with every \`expected.json\`; \`pnpm format\` then lays those out.
`;

/** The page that lists all samples by topic: title, why, and where they lie. */
export function samplePage(samples: readonly NamedSample[]): string {
  const sections = topics.map((topic) => {
    const lines = samples.filter((one) => one.sample.topic === topic).map(lineOf);
    return `\n## ${topic}\n\n${lines.join('')}`;
  });
  return `${head}${sections.join('')}`;
}

function lineOf({ folder, sample: { title, why } }: NamedSample): string {
  return `- **${title}.** ${why} \`test/samples/${folder}\`\n`;
}
