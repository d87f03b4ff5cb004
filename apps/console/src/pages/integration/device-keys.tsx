import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Panel } from '../../parts/panel.tsx';

/** The public keys with which pages of the bank encrypt device tokens. */
export function DeviceKeys(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const keys = useQuery(asking('listDeviceKeys', { params: { workspace } }));
  const mayChange = useRight('administer');
  const rotate = useDoing('rotateDeviceKey', ['listDeviceKeys']);
  const [asked, setAsked] = useState(false);
  return (
    <Panel
      title={t('integration.deviceKeys')}
      tools={
        mayChange ? (
          <Button small onClick={() => setAsked(true)}>
            {t('integration.rotateKey')}
          </Button>
        ) : null
      }
    >
      <Asked of={keys} rows={3}>
        {(set) => <CodeBlock label={t('integration.deviceKeys')} text={JSON.stringify(set, undefined, 2)} />}
      </Asked>
      {asked ? (
        <Confirm
          title={t('integration.rotateKey')}
          act={t('integration.rotateKey')}
          busy={rotate.isPending}
          problem={rotate.error}
          onConfirm={() => rotate.mutate({ params: { workspace }, body: {} }, { onSuccess: () => setAsked(false) })}
          onClose={() => setAsked(false)}
        >
          {t('integration.rotateKeyMeaning')}
        </Confirm>
      ) : null}
    </Panel>
  );
}
