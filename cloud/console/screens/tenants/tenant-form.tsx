import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { ApiProblem } from '../../../../shared/ui/http/request.ts';
import { DetailPane } from '../../../../shared/ui/list/list-screen.tsx';
import { ChangeFailure } from '../../../../shared/ui/session/change-failure.tsx';
import { useNotify } from '../../../../shared/ui/parts/notices.tsx';
import { refreshData } from '../../../../shared/ui/session/session-queries.ts';
import { ENVIRONMENTS, TENANT_LIMITS } from '../../../../shared/wire/operator/tenant-constants.ts';
import type { Tenant } from '../../../../shared/wire/operator/tenants.ts';
import { readWord } from '../../navigation/address.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { rememberTenant } from '../../api/queries.ts';
import { useText } from '../../i18n/use-text.ts';
import { useStoredForm } from '../../session/stored-form.ts';
import {
  EMPTY_TENANT,
  faultsOf,
  newTenantOf,
  TENANT_FIELDS,
  type Faults,
  type TenantField,
  type TypedTenant,
} from './tenant-input.ts';
import classes from './tenants.module.css';

export interface TenantFormProps {
  onClose: () => void;
  onCreated: (tenant: Tenant) => void;
}

/** Creates a tenant. A missing value is shown at its field before the request, the API's refusal after it. */
export function TenantForm({ onClose, onCreated }: TenantFormProps): ReactNode {
  const text = useText();
  const headingId = useId();
  const { typed, setTyped, faults, error, isPending, field, submit } = useTenantForm(onCreated);

  const faultText = (name: TenantField): ReactNode => {
    const fault = faults[name];
    return fault === undefined ? null : text(`tenantFault.${fault}`);
  };
  const line = (name: 'name' | 'adminName' | 'adminEmail') => ({
    ref: field(name),
    label: text(`field.${name === 'name' ? 'tenant' : name}`),
    value: typed[name],
    maxLength: TENANT_LIMITS[name],
    required: true,
    withAsterisk: false,
    error: faultText(name),
    autoComplete: 'off',
    onChange: (event: { currentTarget: HTMLInputElement }) => setTyped({ ...typed, [name]: event.currentTarget.value }),
  });
  return (
    <DetailPane
      headingId={headingId}
      label={text('tenants.new')}
      head={<h2 id={headingId}>{text('tenants.new')}</h2>}
      onClose={onClose}
      foot={null}
    >
      <form className={classes['form']} onSubmit={submit} noValidate aria-labelledby={headingId}>
        <p className={classes['meaning']}>{text('tenant.consequence')}</p>
        <TextInput {...line('name')} />
        <NativeSelect
          ref={field('environment')}
          label={text('field.environment')}
          value={typed.environment}
          error={faultText('environment')}
          data={[
            { value: '', label: text('tenant.chooseEnvironment') },
            ...ENVIRONMENTS.map((one) => ({ value: one, label: text(`environment.${one}`) })),
          ]}
          onChange={({ currentTarget: { value } }) =>
            setTyped({ ...typed, environment: readWord(value, ENVIRONMENTS) ?? '' })
          }
        />
        <TextInput {...line('adminName')} />
        {/* A field of the type would give a Korean domain in Punycode. */}
        <TextInput {...line('adminEmail')} inputMode="email" />
        <Textarea
          ref={field('memo')}
          label={text('tenant.memoOptional')}
          value={typed.memo}
          rows={3}
          maxLength={TENANT_LIMITS.memo}
          error={faultText('memo')}
          onChange={(event) => setTyped({ ...typed, memo: event.currentTarget.value })}
        />
        {error !== null && (
          <ChangeFailure error={error} className={classes['failure']} before={text('tenant.failed')} />
        )}
        <div className={classes['buttons']}>
          <Button variant="default" onClick={onClose}>
            {text('invalidate.cancel')}
          </Button>
          <Button type="submit" loading={isPending}>
            {text('tenant.create')}
          </Button>
        </div>
      </form>
    </DetailPane>
  );
}

type FieldElement = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function useTenantForm(onCreated: (tenant: Tenant) => void) {
  const text = useText();
  const notify = useNotify();
  const client = useQueryClient();
  const { api } = useOperator();
  const [typed, setTyped] = useStoredForm<TypedTenant>('tenant', EMPTY_TENANT);
  const [faults, setFaults] = useState<Faults>({});
  const elements = useRef<Partial<Record<TenantField, FieldElement | null>>>({});
  const creation = useMutation({
    mutationFn: api.createTenant,
    onSuccess: (tenant) => {
      rememberTenant(client, tenant);
      setTyped(EMPTY_TENANT);
      notify({ tone: 'good', glyph: 'tick', message: text('tenant.created', { name: tenant.name }) });
      void refreshData(client);
      onCreated(tenant);
    },
    onError: (error) => setFaults(refusedFields(error)),
  });
  // Focuses the first wrong field, found here or by the API.
  useEffect(() => {
    const first = TENANT_FIELDS.find((name) => faults[name] !== undefined);
    if (first !== undefined) elements.current[first]?.focus();
  }, [faults]);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const input = newTenantOf(typed);
    setFaults('faults' in input ? input.faults : {});
    if (!('faults' in input) && !creation.isPending) creation.mutate(input);
    else creation.reset();
  }
  const isSaidAtField = Object.keys(refusedFields(creation.error)).length > 0;
  return {
    typed,
    setTyped,
    faults,
    error: isSaidAtField ? null : creation.error,
    isPending: creation.isPending,
    field: (name: TenantField) => (element: FieldElement | null) => {
      elements.current[name] = element;
    },
    submit,
  };
}

function refusedFields(error: unknown): Faults {
  return error instanceof ApiProblem ? faultsOf(error) : {};
}
