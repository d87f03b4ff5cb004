import { carriedPaths } from '../facts/carried-paths.ts';
import type { Session } from './session.ts';

const place = carriedPaths.indexOf('device.id');

/** The id of the device of a session's last login. */
export function carriedDevice(session: Session | undefined): string | undefined {
  return session?.carried?.[place] as string | undefined;
}
