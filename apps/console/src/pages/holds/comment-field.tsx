import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../../parts/field.tsx';

interface CommentFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Why a held payment is released or rejected. */
export function CommentField({ value, onChange }: CommentFieldProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Field
      label={t('holds.comment')}
      hint={t('holds.commentHint')}
      maxLength={4_000}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
