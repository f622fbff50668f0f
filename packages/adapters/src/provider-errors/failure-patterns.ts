/** An account that cannot pay: told with the status of a rate limit by some, so it is looked for first. */
export const accountPattern: RegExp =
  /insufficient_quota|insufficient[ _](?:balance|credit|funds)|credit balance is too low|requires more credits|payment required|openrouter\.ai\/settings\/(?:keys|credits)/i;

/** Too much in too little time. Providers count tokens here too, and say so. */
export const ratePattern: RegExp =
  /rate[ _-]?limit|too many requests|tokens per (?:min|day|hour)|\bTPM\b|throttl|too many tokens(?: per day)?, please wait|resource[ _]?(?:has been )?exhausted|exceeded your current quota|quota exceeded/i;

/** What was asked for is more than the rate allows at any time. */
export const rateNumbers: RegExp = /Limit (?<limit>[\d,]+),(?: Used [\d,]+,)? Requested (?<given>[\d,]+)/;

/** A key that is wrong, or has no right to this. */
export const authPattern: RegExp =
  /invalid x-api-key|(?:incorrect|invalid|missing|no) api[ _-]?key|api key not valid|invalid_api_key|authentication_?error|unauthori[sz]ed|permission_?denied|access_?denied/i;

/** More output asked for than the model gives. */
export const outputPattern: RegExp =
  /max_(?:completion_|output_|new_)?tokens'? is too large|max_(?:completion_|output_|new_)?tokens: [\d,]+ >|maximum allowed number of output tokens|supports at most [\d,]+ completion tokens|max_(?:completion_|output_|new_)?tokens`? .{0,60}(?:above maximum|below minimum|must be (?:<=|less))|'max_(?:completion_|output_)?tokens': integer (?:above|below)|maxOutputTokens value of/i;

/** The number of output tokens that would have been accepted. */
export const outputNumbers: readonly RegExp[] = [
  /max_tokens: (?<given>[\d,]+) > (?<limit>[\d,]+)/i,
  /supports at most (?<limit>[\d,]+) completion tokens, whereas you provided (?<given>[\d,]+)/i,
  /expected a value <= (?<limit>[\d,]+), but got (?<given>[\d,]+)/i,
];

/** Too many bytes: of the whole request, of an image, or of one string. */
export const bytesPattern: RegExp =
  /request_too_large|exceeds the maximum size|(?:entity|payload) too large|request body size|image exceeds [\d.]+ MB|image dimensions exceed|length less than or equal to \d{7,}|'(?:messages|input)\[\d+\]\.content[^']*': string too long/i;

/** The provider does not want to answer. */
export const refusedPattern: RegExp =
  /content_filter|content filtering policy|content management policy|ResponsibleAIPolicy|content[_ ]policy|data_inspection_failed|prohibited_content|blocked .{0,30}safety|invalid_prompt/i;

/** Trouble on the provider's side. */
export const serverPattern: RegExp =
  /overloaded|internal[ _](?:server[ _])?error|service[ _]unavailable|\bUNAVAILABLE\b|high demand|bad gateway|server_error/i;

/** Trouble on the way; an answer that is no JSON was cut, or is not the provider's. */
export const networkPattern: RegExp =
  /ECONNRESET|ECONNREFUSED|ECONNABORTED|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|UND_ERR|fetch failed|connection error|socket hang up|network error|timed? ?out|premature close|\bSyntaxError\b|unexpected end of JSON|unterminated string in JSON|\bterminated\b|APIConnection/i;
