/* Stands in for a part under the Windows service host: says what it got, and ends as its argument and its input say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  printf("began as %s with %s and [%s]\n", how, argc > 2 ? argv[2] : "", getenv("CAUSEWAY_WORDS"));
  fflush(stdout);
  if (strcmp(how, "code") == 0) return atoi(argv[3]);
  if (strcmp(how, "crash-once") == 0) {
    FILE *file = fopen(argv[3], "r");
    if (file == NULL) {
      fclose(fopen(argv[3], "w"));
      _Exit(9);
    }
    fclose(file);
  }
  if (strcmp(how, "much") == 0) {
    char piece[65536];
    memset(piece, 'x', sizeof piece);
    piece[sizeof piece - 1] = '\n';
    for (int count = 0; count < 180; count++) fwrite(piece, 1, sizeof piece, stdout);
    puts("that was much");
    fflush(stdout);
  }
  while (getchar() != EOF);
  puts("ended in order");
  return 0;
}
