import { Client, type ClientConfig } from 'pg';
import type { DueNotices } from '../../src/postgres-outbox.ts';

/** Receives PostgreSQL notifications on a connection that never fails. */
export async function startListener(connection: ClientConfig): Promise<DueNotices & { close(): Promise<void> }> {
  const client = new Client(connection);
  await client.connect();
  return {
    hear: (channel, { told }) => {
      const onNotification = (message: { readonly channel: string; readonly payload?: string | undefined }): void => {
        if (message.channel === channel) told(message.payload ?? '');
      };
      client.on('notification', onNotification);
      void client.query(`listen ${channel}`);
      return () => client.off('notification', onNotification);
    },
    close: () => client.end(),
  };
}
