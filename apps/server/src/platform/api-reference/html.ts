/** Text as HTML shows it, safe in elements and in attributes. Nothing for `undefined`. */
export function escape(text: string | undefined): string {
  return (text ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Text with its \`code\` and its paragraphs. */
export function prose(text: string | undefined): string {
  return escape(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '<br>');
}
