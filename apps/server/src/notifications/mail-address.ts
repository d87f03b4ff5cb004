/** An address as it is in an envelope: without a name, a comment or a list. */
export function isMailAddress(text: string): boolean {
  return /^[^\s<>(),;:"@\\]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(text) && text.length <= 254;
}
