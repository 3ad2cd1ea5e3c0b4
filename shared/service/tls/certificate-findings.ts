/** Certificates as a doctor checks them: whether they are valid, and for how long. Pure. */
import { renewalOf } from '../../time/certificate-life.ts';
import { warn, ok, wrong, type Finding } from '../findings.ts';

/** The fields of a certificate that are needed here, as in Node's `X509Certificate`. */
export interface CertificateLife {
  subject: string;
  validFromDate: Date;
  validToDate: Date;
}

/** Whether a certificate is valid now, and for how long. */
export function lifeFinding(about: string, certificate: CertificateLife, now: Date): Finding {
  const { validFromDate, validToDate } = certificate;
  const name = certificate.subject.replaceAll('\n', ', ');
  const renewal = renewalOf(validFromDate, validToDate, now);
  const until = validToDate.toISOString().slice(0, 10);
  switch (renewal.state) {
    case 'NOT_YET':
      return wrong(
        about,
        `the certificate (${name}) is not valid before ${validFromDate.toISOString()}`,
        'check the clock of this machine; if it is right, wait, or ask for another certificate',
      );
    case 'EXPIRED':
      return wrong(about, `the certificate (${name}) expired on ${until}`, 'put a new certificate in its place');
    case 'DUE':
      return warn(
        about,
        `the certificate (${name}) is valid until ${until}, ${renewal.daysLeft} days from now, and two thirds of its life are over`,
        'ask for a new one now; both are valid side by side, so nothing stops meanwhile',
      );
    case 'GOOD':
      return ok(about, `the certificate (${name}) is valid until ${until}, ${renewal.daysLeft} days from now`);
    default:
      return renewal.state satisfies never;
  }
}
