/** Why a release was refused, in Korean; the refusal's own message is English. */
import type { Refusal } from '../../../shared/service/release.ts';

const TEXTS: Record<Refusal['code'], (named: string, known: string) => string> = {
  NO_KEY: () => '서명되지 않은 시험용 빌드에는 배포 키가 없어 업데이트를 확인할 수 없습니다.',
  UNREACHABLE: (named, known) => `업데이트 서버에서 파일을 받지 못했습니다: ${named} (${known}).`,
  MISSING: (named) => `업데이트 서버에 필요한 파일이 없습니다: ${named}.`,
  TOO_LARGE: (named, known) => `파일이 허용 크기(${known}바이트)를 넘습니다: ${named}.`,
  SIGNATURE: (named, known) => `공급사 배포 키(${known})의 서명이 아닙니다: ${named}.`,
  FORM: (named) => `서명은 맞지만 형식을 해석할 수 없습니다: ${named}. 새 버전의 프로그램이 필요할 수 있습니다.`,
  PRODUCT: (named, known) => `다른 제품의 배포본입니다: ${named} (이 제품: ${known}).`,
  CHANNEL: (named, known) => `다른 배포 채널의 배포본입니다: ${named} (이 프로그램: ${known}).`,
  PLATFORM: (named, known) => `다른 운영 체제용 배포본입니다: ${named} (이 컴퓨터: ${known}).`,
  OLDER_THAN_INSTALLED: (named, known) => `설치된 버전(${known})보다 오래된 배포본입니다: ${named}.`,
  OLDER_THAN_SEEN: (named, known) => `이전에 확인한 배포본(${known})보다 오래되었습니다: ${named}.`,
  EXPIRED: (named, known) =>
    `배포본 ${named}의 유효 기간이 ${known}에 끝났습니다. 새 배포본이 차단되었을 수 있으니 관리자에게 알려 주십시오.`,
  UNLISTED: (named, known) => `배포본 ${known}의 목록에 없는 파일입니다: ${named}.`,
  FILE: (named, known) => `배포본 ${known}에 적힌 크기나 해시와 다른 파일입니다: ${named}.`,
};

export const koreanRefusal = ({ code, named, known }: Refusal): string => TEXTS[code](named, known);
