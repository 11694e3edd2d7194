/* Adds up postage. A parcel of 790 grams is weighed as one of 700: find out where. */
#include <stdio.h>

struct parcel {
    const char *city;
    int grams;
};

static int postage(const struct parcel *parcel)
{
    int cents = 320;
    if (parcel->grams > 500) {
        int steps = (parcel->grams - 500) / 100;
        cents += steps * 25;
    }
    return cents;
}

int main(void)
{
    struct parcel parcels[] = {{"Bern", 450}, {"Oslo", 790}, {"Porto", 1200}};
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int cents = postage(&parcels[i]);
        sum += cents;
    }
    printf("postage: %d.%02d\n", sum / 100, sum % 100);
    return 0;
}
