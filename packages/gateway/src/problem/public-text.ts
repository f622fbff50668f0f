/** Keys of providers, tokens of gateways, and passwords in addresses. */
const secrets =
  /\b(?:sk|pk|rk|vrv|ghp|gho|xox[abp])[-_][\w-]{6,}|\bBearer\s+[\w.~+/=-]+|(?<=:\/\/[^\s/@:]*:)[^\s/@]+(?=@)/gi;

/** Paths of the machine: in quotation marks whole, else up to a space. */
const quotedPaths = /"(?:~?\/|[A-Za-z]:\\)[^"\n]*"/g;
const barePaths = /(?<=^|[\s('=])(?:~|[A-Za-z]:)?(?:[\\/][^\s\\/"',;:]+){2,}\/?/g;

const longest = 2_000;

/** A text as it may leave the machine: without keys, tokens and paths, and not for ever. */
export function publicText(text: string): string {
  const whole = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return whole.replaceAll(secrets, '[secret]').replaceAll(quotedPaths, '"[path]"').replaceAll(barePaths, '[path]');
}
