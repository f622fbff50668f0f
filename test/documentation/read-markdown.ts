/** A fenced block of code in a page. */
export interface CodeBlock {
  readonly language: string;
  /** The words after the language in the fence. */
  readonly info: readonly string[];
  readonly code: string;
  /** Line of the page on which the code begins, from 1. */
  readonly line: number;
}

/** A link of a page, as it is written. */
interface Link {
  readonly target: string;
  readonly line: number;
}

/** What the checks need to know of one page. */
export interface Page {
  readonly links: readonly Link[];
  readonly blocks: readonly CodeBlock[];
  /** The headings' text, without marks. */
  readonly headings: readonly string[];
}

/** Reads links, headings and blocks of code; links inside code are none. */
export function readMarkdown(text: string): Page {
  const links: Link[] = [];
  const headings: string[] = [];
  const blocks: CodeBlock[] = [];
  let open: { fence: string; words: string[]; line: number; code: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (open !== undefined) {
      const closes = fence?.[1]?.startsWith(open.fence) && fence[2]?.trim() === '';
      if (!closes) {
        open.code.push(line);
        continue;
      }
      const [language = '', ...info] = open.words;
      blocks.push({ language, info, code: open.code.join('\n'), line: open.line });
      open = undefined;
    } else if (fence) {
      open = { fence: fence[1] ?? '', words: (fence[2] ?? '').trim().split(/\s+/), line: index + 2, code: [] };
    } else if (!line.startsWith('    ')) {
      const heading = /^#{1,6} (.+)$/.exec(line)?.[1];
      if (heading !== undefined) headings.push(heading.replaceAll(/[`*]/g, ''));
      for (const target of targetsIn(line)) links.push({ target, line: index + 1 });
    }
  }
  return { links, blocks, headings };
}

function targetsIn(line: string): string[] {
  const prose = line.replaceAll(/`[^`]*`/g, '');
  const patterns = [/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g, /^ {0,3}\[[^\]]+\]:\s*(\S+)/g, /\b(?:href|src)="([^"]+)"/g];
  return patterns.flatMap((pattern) => [...prose.matchAll(pattern)].map((match) => match[1] ?? ''));
}

/** The anchor of a heading, as both the site and code hosts make it. */
export function anchorOf(heading: string): string {
  const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return words.trim().replaceAll(/\s+/g, '-');
}
