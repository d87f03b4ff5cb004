import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SeenChannel } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { inputClass } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

/** Channels that sent events, and their names. */
export function Channels(): ReactElement {
  const { t } = useTranslation();
  const name = useWorkspaceName();
  const workspace = useWorkspace();
  const integration = useQuery(asking('readIntegration', { params: { workspace: name } }));
  const mayChange = useRight('administer') && workspace?.owners.settings === 'api';
  return (
    <Panel title={t('integration.channels')}>
      <Asked of={integration} rows={2}>
        {({ channels }) =>
          channels.length === 0 ? (
            <p className="text-sm text-soft">{t('integration.noChannels')}</p>
          ) : (
            <ul className="flex flex-col gap-2 text-sm">
              {channels.map((channel) => (
                <ChannelRow
                  key={channel.channelId}
                  channel={channel}
                  name={workspace?.channels.find(({ id }) => id === channel.channelId)?.name}
                  mayChange={mayChange}
                />
              ))}
            </ul>
          )
        }
      </Asked>
    </Panel>
  );
}

interface ChannelRowProps {
  readonly channel: SeenChannel;
  readonly name: string | undefined;
  readonly mayChange: boolean;
}

function ChannelRow({ channel, name, mayChange }: ChannelRowProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <li className="flex flex-wrap items-center gap-2">
      <span className="font-mono text-xs">{channel.channelId}</span>
      <span className="font-medium">{name ?? t('integration.unnamed')}</span>
      {channel.configured ? null : <Badge tone="warn">{t('integration.unknownChannel')}</Badge>}
      <span className="ml-auto text-xs text-soft">
        {t('integration.eventsOf', { count: channel.events, shown: formats.number(channel.events) })} ·{' '}
        <Instant at={channel.lastSeenAt} as="ago" />
      </span>
      {channel.configured || !mayChange ? null : <NameChannel id={channel.channelId} />}
    </li>
  );
}

function NameChannel({ id }: { readonly id: number }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const [name, setName] = useState('');
  const put = useDoing('putChannel', ['readWorkspace', 'readIntegration']);
  return (
    <Form
      className="flex w-full gap-2"
      onSubmit={() => put.mutate({ params: { workspace, channel: id }, body: { name } })}
    >
      <input
        aria-label={t('integration.channelName')}
        placeholder={t('integration.channelName')}
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
        className={`${inputClass} grow`}
      />
      <Button type="submit" busy={put.isPending}>
        {t('act.save')}
      </Button>
      {put.error === null ? null : <ProblemNote problem={put.error} />}
    </Form>
  );
}
