import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactElement, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionKey } from '../../api/session.ts';
import { useDoing } from '../../api/use-api.ts';
import { useSession } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

const QrPicture = lazy(async () => ({ default: (await import('../../parts/qr-picture.tsx')).QrPicture }));

/** Sets up or removes a TOTP second factor. Removing it requires the password. */
export function SecondFactor(): ReactElement | null {
  const { t } = useTranslation();
  const { account } = useSession();
  const [asked, setAsked] = useState(false);
  if (!account.password) return null;
  return (
    <Panel
      title={t('accounts.factor')}
      tools={
        <Button small onClick={() => setAsked(true)}>
          {t(account.secondFactor ? 'accounts.factorOff' : 'accounts.setUp')}
        </Button>
      }
    >
      <Badge tone={account.secondFactor ? 'good' : 'warn'}>
        {t(account.secondFactor ? 'accounts.factorOn' : 'accounts.noFactor')}
      </Badge>
      {asked ? (
        <FactorDialog account={account.email} isOn={account.secondFactor} onClose={() => setAsked(false)} />
      ) : null}
    </Panel>
  );
}

interface FactorDialogProps {
  readonly account: string;
  readonly isOn: boolean;
  readonly onClose: () => void;
}

function FactorDialog({ account, isOn, onClose }: FactorDialogProps): ReactElement {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const begin = useDoing('beginSecondFactor');
  const remove = useDoing('removeSecondFactor');
  const finish = (): void => {
    void client.refetchQueries({ queryKey: sessionKey });
    onClose();
  };
  const submit = (): void => {
    if (isOn) remove.mutate({ body: { password } }, { onSuccess: finish });
    else begin.mutate({ body: { password } });
  };
  const problem = begin.error ?? remove.error;
  return (
    <Dialog title={t(isOn ? 'accounts.factorOff' : 'accounts.setUp')} onClose={onClose}>
      {begin.data === undefined ? (
        <Form account={account} onSubmit={submit}>
          <Field
            label={t('accounts.password')}
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          {problem === null ? null : <ProblemNote problem={problem} />}
          <Button look="main" type="submit" busy={begin.isPending || remove.isPending}>
            {t('accounts.confirm')}
          </Button>
        </Form>
      ) : (
        <ConfirmCode secret={begin.data.key} uri={begin.data.uri} onDone={finish} />
      )}
    </Dialog>
  );
}

interface ConfirmCodeProps {
  readonly secret: string;
  readonly uri: string;
  readonly onDone: () => void;
}

function ConfirmCode({ secret, uri, onDone }: ConfirmCodeProps): ReactElement {
  const { t } = useTranslation();
  const [code, setCode] = useState('');
  const confirm = useDoing('confirmSecondFactor');
  if (confirm.data !== undefined) {
    return (
      <div className="flex flex-col gap-3 text-sm">
        <p className="text-soft">{t('accounts.codesHint')}</p>
        <CodeBlock label={t('accounts.recovery')} text={confirm.data.recoveryCodes.join('\n')} />
        <Button look="main" onClick={onDone}>
          {t('act.close')}
        </Button>
      </div>
    );
  }
  return (
    <Form
      className="flex flex-col gap-4 text-sm"
      onSubmit={() => confirm.mutate({ body: { code: code.replaceAll(' ', '') } })}
    >
      <p className="text-soft">{t('accounts.factorSecret')}</p>
      <Suspense fallback={<Loading rows={5} />}>
        <QrPicture text={uri} label={t('accounts.factorPicture')} />
      </Suspense>
      <p className="text-soft">{t('accounts.factorText')}</p>
      <CodeBlock label={t('accounts.factorKey')} text={secret} />
      <CodeBlock label={t('accounts.factorAddress')} wrap text={uri} />
      <Field
        label={t('accounts.code')}
        autoComplete="one-time-code"
        required
        mono
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {confirm.error === null ? null : <ProblemNote problem={confirm.error} />}
      <Button look="main" type="submit" busy={confirm.isPending}>
        {t('accounts.confirm')}
      </Button>
    </Form>
  );
}
