/** A message as the measure sees it. */
export interface MeasuredMessage {
  readonly identifiers: ReadonlySet<string>;
  readonly tokens: number;
}

/** Identifiers that a model used, and how many of them its prompt still showed. */
export interface NeedCount {
  readonly needed: number;
  readonly visible: number;
}

/** An identifier is needed from afar when it last stood this many tokens before the end of the conversation. */
const farTokens = 4_000;

/** Follows one conversation: what was said in it, and where each identifier last stood. */
export class NeededLater {
  readonly #lastAt = new Map<string, number>();
  #tokens = 0;

  /** The identifiers of an answer that the conversation holds only far behind. To be asked before it is added. */
  farNeeds(answer: MeasuredMessage): readonly string[] {
    return [...answer.identifiers].filter((one) => {
      const at = this.#lastAt.get(one);
      return at !== undefined && this.#tokens - at >= farTokens;
    });
  }

  /** A message was said. */
  add({ identifiers, tokens }: MeasuredMessage): void {
    this.#tokens += tokens;
    for (const one of identifiers) this.#lastAt.set(one, this.#tokens);
  }
}

/** Counts how many of the needed identifiers stand in a prompt. */
export function countVisible(needs: readonly string[], prompt: readonly MeasuredMessage[]): NeedCount {
  const visible = needs.filter((need) => prompt.some(({ identifiers }) => identifiers.has(need)));
  return { needed: needs.length, visible: visible.length };
}
