typedef struct node { struct node *next; double value; } node;
void f(int n, node *list, double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        list = list->next;
        a[i] = list->value;
        b[i] = *(&a[i]);
        b = b + 1;
    }
}
