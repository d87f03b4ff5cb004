/** A name after an at sign: an e-mail address, or the part before its at sign. */
const mention =
  /(?<![\p{L}\p{N}._-])@([\p{L}\p{N}_+-]+(?:\.[\p{L}\p{N}_+-]+)*(?:@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)?)/gu;

/** More names are a list of everybody. */
const mentionsMax = 20;

/** The people whom a text names, by their e-mail addresses: `@mara@bank.example`, or `@mara` if there is one Mara. */
export function mentionedIn<Person extends { readonly email: string }>(
  text: string,
  people: readonly Person[],
): readonly Person[] {
  const names = new Set(Array.from(text.matchAll(mention), ([, name]) => name!.toLowerCase()).slice(0, mentionsMax));
  return people.filter(({ email }) => {
    if (names.has(email)) return true;
    const [local] = email.split('@') as [string];
    return names.has(local) && people.filter((other) => other.email.startsWith(`${local}@`)).length === 1;
  });
}
