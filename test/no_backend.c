// A library that is no backend: it lacks the symbol.

int not_a_backend(void);

__attribute__((visibility("default"))) int not_a_backend(void)
{
    return 0;
}
