/** A store of the browser for a short text of this site. Both operations may throw if access is denied. */
export interface TextStore {
  readonly name: 'localStorage' | 'cookie';
  readonly read: () => string | undefined;
  readonly write: (text: string) => void;
  readonly clear: () => void;
}

const itemName = 'ringfence.device';
const cookieName = 'ringfence_device';
/** The longest lifetime that browsers allow a cookie: 400 days. */
const cookieAgeS = 34_560_000;

export const localStore: TextStore = {
  name: 'localStorage',
  read: () => localStorage.getItem(itemName) ?? undefined,
  write: (text) => localStorage.setItem(itemName, text),
  clear: () => localStorage.removeItem(itemName),
};

/** Only with the option `cookie`: it is sent to the bank's servers with every request. */
export const cookieStore: TextStore = {
  name: 'cookie',
  read: () => new RegExp(`(?:^|; )${cookieName}=([^;]*)`).exec(document.cookie)?.[1],
  write: (text) => writeCookie(text, cookieAgeS),
  clear: () => writeCookie('', 0),
};

function writeCookie(text: string, ageS: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // oxlint-disable-next-line unicorn/no-document-cookie -- the cookie store API is missing in two of three engines
  document.cookie = `${cookieName}=${text}; Max-Age=${ageS}; Path=/; SameSite=Strict${secure}`;
}
