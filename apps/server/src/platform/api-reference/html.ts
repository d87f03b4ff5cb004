/** Escapes text for HTML elements and attributes. Returns an empty string for `undefined`. */
export function escape(text: string | undefined): string {
  return (text ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Escapes text, and renders its \`code\` and its paragraphs. */
export function prose(text: string | undefined): string {
  return escape(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '<br>');
}
