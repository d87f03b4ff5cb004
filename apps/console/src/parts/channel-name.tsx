import type { ReactElement } from 'react';
import { useWorkspace } from '../api/use-workspace.ts';

/** A channel by its name, or else by its number. */
export function ChannelName({ id }: { readonly id: number | undefined }): ReactElement {
  const name = useWorkspace()?.channels.find((channel) => channel.id === id)?.name;
  return <span title={name === undefined ? undefined : `channelId ${id}`}>{name ?? id ?? '–'}</span>;
}
