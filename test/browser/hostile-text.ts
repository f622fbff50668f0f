/** A text that would do something in a page, a terminal or a log that took it for more than a text. */
export const hostileText = [
  '<script>stolen = 1</script>',
  '</script><script>stolen = 1</script>',
  '<img src=x onerror="stolen = 1">',
  '<b onmouseover="stolen = 1">bold</b>',
  '{{ stolen = 1 }}',
  '<!-- ',
  ']]>',
  '\u001B[31mred\u001B[0m \u001B]8;;https://example.org\u0007link\u001B]8;;\u0007',
  '\u202Etxt.exe\u2066 \u200B\u0000',
  'javascript:stolen=1',
].join('\n');
